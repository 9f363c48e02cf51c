import { timestampDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Report } from "#gen/registry/v1/inspection_service_pb.js";
import { ReportKind } from "#gen/registry/v1/verification_service_pb.js";
import { html } from "../../pages/html.ts";
import { messagesOf } from "../../pages/messages/languages.ts";
import { badge, isolated, link, listPanel, moment } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import { shellTexts } from "../shell/texts.ts";
import { words } from "../words/texts.ts";
import { texts } from "./texts.ts";

const pageSize = 25;

/** Lists the problems that visitors to verification pages reported, and closes reports. */
export const reportsPage: SettingsPage = {
  path: "/reports",
  section: "reports",
  async show(visit) {
    const { registry, query, language } = visit;
    const openOnly = query.get("all") === null;
    const before = /^\d{1,15}$/.exec(query.get("before") ?? "")?.[0];
    const { reports } = await registry.certificates.listReports({
      openOnly,
      limit: pageSize,
      ...(before && { before: timestampFromMs(Number(before)) }),
    });
    const { lead, openOnly: onlyOpen, all, none, done } = texts[language];
    const last = reports.length === pageSize ? reports.at(-1)?.reportedAt : undefined;
    const next = last ? `/reports?${openOnly ? "" : "all&"}before=${timestampDate(last).getTime()}` : "";
    return {
      title: shellTexts[language].sections.reports,
      lead,
      notice: query.get("done") === "closed" ? done : undefined,
      content: html`<p class="inline-actions">${openOnly ? link("/reports?all", all) : link("/reports", onlyOpen)}</p>
${listPanel(
  reports.map((report) => row(visit, report)),
  none,
  { path: next, label: words[language].next },
)}`,
    };
  },
  actions: {
    async close({ registry }, form) {
      await registry.certificates.closeReport({ reportId: form.text("report") });
      return { path: "/reports?done=closed" };
    },
  },
};

function row(
  visit: Visit,
  { id, kind, content, reporterEmail, reportedAt, closedAt, closedBy, certificateId }: Report,
) {
  const { language } = visit;
  const { open, closed, replyTo, certificate, close } = texts[language];
  const { kinds } = messagesOf[language].report;
  const name = ReportKind[kind]?.toLowerCase();
  const form = new SettingsForm(visit, "close", id);
  const isOpen = closedAt === undefined;
  return {
    title: Object.entries(kinds).find(([known]) => known === name)?.[1] ?? kinds.other,
    state: isOpen ? badge("warn", open) : badge("good", closed),
    details: [
      moment(reportedAt, language),
      link(`/certificates/${certificateId}`, certificate),
      reporterEmail === ""
        ? undefined
        : html`${replyTo} <a href="mailto:${encodeURIComponent(reporterEmail)}">${isolated(reporterEmail)}</a>`,
      isOpen ? undefined : html`${closed}: ${moment(closedAt, language)}, ${isolated(closedBy)}`,
    ],
    more: html`<p class="message" dir="auto">${content}</p>
${isOpen && form.frame(form.hidden("report", id), { submit: close, kind: "quiet" })}`,
  };
}
