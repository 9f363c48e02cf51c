import { type Import, ImportState, type RejectedLine } from "#gen/settings/v1/import_settings_service_pb.js";
import { textsFor } from "#shared/texts/texts.ts";
import { formatNumber } from "../../pages/format.ts";
import { type Html, html, isolated } from "../../pages/html.ts";
import { code, facts, link, panel, rowList } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { shownReason } from "../components/shown-reason.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import { rejectionText } from "./rejection-text.ts";
import { isStopped, stateBadge, stateWord } from "./states.ts";

const linesShown = 20;

/** Shows the progress or the result of an import, with its rejected lines. Starts the import after the dry run. */
export const importPage: SettingsPage = {
  path: "/certificates/import/:import",
  section: "certificates",
  async show(visit) {
    const { registry, params, text } = visit;
    const importId = params.import ?? "";
    const [{ import: found }, { lines }] = await Promise.all([
      registry.imports.getImport({ importId }),
      registry.imports.listRejectedLines({ importId, limit: linesShown }),
    ]);
    if (found === undefined) throw new Error("the registry returned no import");
    return {
      title: found.fileName === "" ? text("settings.import.upload.unnamed") : found.fileName,
      parent: { path: "/certificates/import", title: text("settings.import.upload.title") },
      content: isRunning(found) ? progressPanel(visit, found) : resultPanels(visit, found, lines),
    };
  },
  actions: {
    async start({ registry, params }) {
      const importId = params.import ?? "";
      await registry.imports.startImport({ importId, dryRun: false });
      return { path: `/certificates/import/${importId}` };
    },
    async stop({ registry, params }) {
      const importId = params.import ?? "";
      await registry.imports.stopImport({ importId });
      return { path: `/certificates/import/${importId}` };
    },
  },
};

function isRunning({ state }: Import): boolean {
  return state === ImportState.EXAMINING || state === ImportState.ISSUING;
}

/** Renders the progress of an import. The script updates this panel while the import runs, then reloads the page. */
function progressPanel(visit: Visit, found: Import): Html {
  const { language, text } = visit;
  const { id, state, fileBytes, bytesRead, rows, issued, alreadyIssued, isStopping } = found;
  const share = fileBytes === 0n ? 0 : Math.min(100, Number((100n * bytesRead) / fileBytes));
  const isIssuing = state === ImportState.ISSUING;
  return html`<section class="panel" data-live>
<div role="status"><h2 id="progress">${stateWord(state, language)} <span class="share">${share}%</span></h2></div>
<progress max="100" value="${share}" aria-labelledby="progress"></progress>
${facts([
  [text("settings.import.rows"), formatNumber(rows, language)],
  [text("settings.import.issued"), isIssuing ? formatNumber(issued, language) : undefined],
  [
    text("settings.import.alreadyIssued"),
    isIssuing && alreadyIssued > 0 ? formatNumber(alreadyIssued, language) : undefined,
  ],
])}
<p class="hint">${isStopping ? text("settings.import.stopping") : text("settings.import.keepsRunning")}</p>
<p class="more" data-without-script>${link(`/certificates/import/${id}`, text("settings.import.refresh"), "button")}</p>
${!isStopping && stopForm(visit, isIssuing)}
</section>`;
}

function stopForm(visit: Visit, isIssuing: boolean): Html {
  const lead = isIssuing ? html`<p class="hint">${visit.text("settings.import.stopLead")}</p>` : "";
  return new SettingsForm(visit, "stop").frame(lead, { submit: visit.text("settings.import.stop"), kind: "quiet" });
}

function resultPanels(visit: Visit, found: Import, lines: readonly RejectedLine[]): Html {
  const { language, text } = visit;
  const { state, rows, issued, alreadyIssued, soldOut, notPaid, refunded, cancelled, rejectedLines } = found;
  const count = (value: number) => (value === 0 ? undefined : formatNumber(value, language));
  const isFinished = state === ImportState.FINISHED;
  // One that was stopped, or could not be read to its end, continues with a file.
  const isComplete = isFinished && found.unreadableReason === undefined;
  const isUnread = rows === 0 && found.unreadableReason !== undefined;
  const canStart = state === ImportState.EXAMINED && !isUnread && !isStopped(found);
  return html`<section class="panel">
<p>${stateBadge(found, language)}</p>
${state === ImportState.UPLOADING && html`<p>${text("settings.import.incomplete")}</p>`}
${faultText(found, language)}
${
  !isUnread &&
  facts([
    [text("settings.import.rows"), formatNumber(rows, language)],
    [isFinished ? text("settings.import.issued") : text("settings.import.toIssue"), formatNumber(issued, language)],
    [text("settings.import.alreadyIssued"), count(alreadyIssued)],
    [text("settings.import.soldOut"), count(soldOut)],
    [text("settings.import.notPaid"), count(notPaid)],
    [text("settings.import.refunded"), count(refunded)],
    [text("settings.import.cancelled"), count(cancelled)],
    [text("settings.import.rejected"), count(rejectedLines)],
  ])
}
${canStart && html`<p class="hint">${startHint(visit, found)}</p>`}
<div class="inline-actions">${canStart && startForm(visit, found)}
${isFinished && issued > 0 && link("/certificates", text("settings.shell.sections.certificates"), "button")}${!isComplete && link("/certificates/import", text("settings.import.another"), "button")}</div>
</section>
${lines.length > 0 && rejectedPanel(visit, found, lines)}`;
}

function startHint({ text }: Visit, { issued, hasFile }: Import): string {
  if (!hasFile) return text("settings.import.fileGone");
  return issued === 0 ? text("settings.import.nothingToIssue") : text("settings.import.startLead");
}

function startForm(visit: Visit, { issued, hasFile }: Import): Html | undefined {
  if (!hasFile || issued === 0) return undefined;
  const submit = textsFor(visit.language)("settings.import.start", { count: issued });
  return new SettingsForm(visit, "start").frame("", { submit });
}

function faultText(found: Import, language: Visit["language"]): Html | undefined {
  const { state, unreadableLine, unreadableReason } = found;
  if (unreadableReason === undefined) return undefined;
  if (isStopped(found) && state === ImportState.EXAMINED)
    return html`<p class="mistake">${textsFor(language)("settings.import.dryRunStopped")}</p>`;
  const at = textsFor(language)("settings.import.unreadable", { line: String(unreadableLine) });
  return html`<p class="mistake">${unreadableLine > 0 && `${at} `}${shownReason(unreadableReason, language)}</p>`;
}

function rejectedPanel({ language, text }: Visit, { id, rejectedLines }: Import, lines: readonly RejectedLine[]): Html {
  const rows = lines.map((rejected) => ({
    title: text("settings.import.line", { line: String(rejected.line) }),
    details: [rejected.column === "" ? undefined : code(rejected.column), isolated(rejectionText(rejected, language))],
  }));
  return panel(
    `${text("settings.import.rejected")} (${formatNumber(rejectedLines, language)})`,
    html`${rowList(rows, "")}
${lines.length < rejectedLines && html`<p class="hint">${text("settings.import.rejectedShown", { count: formatNumber(lines.length, language) })}</p>`}
<p class="more">${link(`/certificates/import/${id}/rejected.csv`, text("settings.import.download"), "button")}</p>`,
    text("settings.import.rejectedLead"),
  );
}
