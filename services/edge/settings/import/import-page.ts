import { type Import, ImportState, type RejectedLine } from "#gen/settings/v1/import_settings_service_pb.js";
import { type Html, html } from "../../pages/html.ts";
import { badge, code, facts, isolated, link, panel, rowList } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import { reasonText } from "../reasons/reason-text.ts";
import { stateTones, stateWord } from "./states.ts";
import { texts } from "./texts.ts";
import { uploadTexts } from "./upload-texts.ts";

const linesShown = 20;

/** Shows the progress or the result of an import, with its rejected lines. Starts the import after the dry run. */
export const importPage: SettingsPage = {
  path: "/certificates/import/:import",
  section: "certificates",
  async show(visit) {
    const { registry, params, language } = visit;
    const importId = params.import ?? "";
    const [{ import: found }, { lines }] = await Promise.all([
      registry.imports.getImport({ importId }),
      registry.imports.listRejectedLines({ importId, limit: linesShown }),
    ]);
    if (found === undefined) throw new Error("the registry returned no import");
    const { title, unnamed } = uploadTexts[language];
    return {
      title: found.fileName === "" ? unnamed : found.fileName,
      parent: { path: "/certificates/import", title },
      content: isRunning(found) ? progressPanel(visit, found) : resultPanels(visit, found, lines),
    };
  },
  actions: {
    async start({ registry, params }) {
      const importId = params.import ?? "";
      await registry.imports.startImport({ importId, dryRun: false });
      return { path: `/certificates/import/${importId}` };
    },
  },
};

function isRunning({ state }: Import): boolean {
  return state === ImportState.EXAMINING || state === ImportState.ISSUING;
}

/** Renders the progress of an import. The script updates this panel while the import runs, then reloads the page. */
function progressPanel({ language }: Visit, found: Import): Html {
  const { id, state, fileBytes, bytesRead, rows, issued } = found;
  const { keepsRunning, refresh, rows: rowsLabel, issued: issuedLabel } = texts[language];
  const share = fileBytes === 0n ? 0 : Math.min(100, Number((100n * bytesRead) / fileBytes));
  const isIssuing = state === ImportState.ISSUING;
  return html`<section class="panel" data-live>
<div role="status"><h2 id="progress">${stateWord(state, language)} <span class="share">${share}%</span></h2></div>
<progress max="100" value="${share}" aria-labelledby="progress"></progress>
${facts([
  [rowsLabel, number(rows, language)],
  [issuedLabel, isIssuing ? number(issued, language) : undefined],
])}
<p class="hint">${keepsRunning}</p>
<p class="more" data-without-script>${link(`/certificates/import/${id}`, refresh, "button")}</p>
</section>`;
}

function resultPanels(visit: Visit, found: Import, lines: readonly RejectedLine[]): Html {
  const { language } = visit;
  const text = texts[language];
  const { state, rows, issued, alreadyIssued, soldOut, notPaid, refunded, cancelled, rejectedLines } = found;
  const count = (value: number) => (value === 0 ? undefined : number(value, language));
  const isFinished = state === ImportState.FINISHED;
  return html`<section class="panel">
<p>${badge(stateTones[state] ?? "neutral", stateWord(state, language))}</p>
${state === ImportState.UPLOADING && html`<p>${text.incomplete}</p>`}
${faultText(found, language)}
${facts([
  [text.rows, number(rows, language)],
  [isFinished ? text.issued : text.toIssue, number(issued, language)],
  [text.alreadyIssued, count(alreadyIssued)],
  [text.soldOut, count(soldOut)],
  [text.notPaid, count(notPaid)],
  [text.refunded, count(refunded)],
  [text.cancelled, count(cancelled)],
  [text.rejected, count(rejectedLines)],
])}
${state === ImportState.EXAMINED && startForm(visit, found)}
</section>
${lines.length > 0 && rejectedPanel(visit, found, lines)}`;
}

function startForm(visit: Visit, { issued, hasFile }: Import): Html {
  const text = texts[visit.language];
  if (!hasFile) return html`<p class="hint">${text.fileGone}</p>`;
  if (issued === 0) return html`<p class="hint">${text.nothingToIssue}</p>`;
  const form = new SettingsForm(visit, "start");
  return form.frame(html`<p class="hint">${text.startLead}</p>`, {
    submit: text.start(number(issued, visit.language)),
  });
}

function faultText({ unreadableLine, unreadableReason }: Import, language: Visit["language"]): Html | undefined {
  if (unreadableReason === "") return undefined;
  const { unreadable } = texts[language];
  return html`<p class="mistake">${unreadable(unreadableLine)} ${isolated(reasonText(unreadableReason, language))}</p>`;
}

function rejectedPanel({ language }: Visit, { id, rejectedLines }: Import, lines: readonly RejectedLine[]): Html {
  const { rejected, rejectedLead, line: lineText, download } = texts[language];
  const rows = lines.map(({ line, column, reason }) => ({
    title: lineText(line),
    details: [column === "" ? undefined : code(column), isolated(reasonText(reason, language))],
  }));
  return panel(
    `${rejected} (${number(rejectedLines, language)})`,
    html`${rowList(rows, "")}
<p class="more">${link(`/certificates/import/${id}/rejected.csv`, download, "button")}</p>`,
    rejectedLead,
  );
}

function number(value: number, language: Visit["language"]): string {
  return value.toLocaleString(language);
}
