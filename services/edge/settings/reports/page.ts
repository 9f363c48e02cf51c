import { timestampDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Report } from "#gen/registry/v1/inspection_service_pb.js";
import { ReportKind } from "#gen/registry/v1/verification_service_pb.js";
import { valueName } from "#shared/enums/named-values.ts";
import { colonOf, commaOf } from "../../pages/format.ts";
import { html, isolated } from "../../pages/html.ts";
import { reportReference } from "../../pages/report-reference.ts";
import { badge, certificateLink, code, link, listPanel, mailtoUrl, moment } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import { actorWord } from "../words/actor.ts";

const pageSize = 25;

/** Lists the problems that visitors to verification pages reported, and closes reports. */
export const reportsPage: SettingsPage = {
  path: "/reports",
  section: "reports",
  async show(visit) {
    const { registry, query, language, text } = visit;
    const openOnly = query.get("all") === null;
    const before = /^\d{1,15}$/.exec(query.get("before") ?? "")?.[0];
    const { reports } = await registry.inspection.listReports({
      openOnly,
      limit: pageSize + 1,
      ...(before && { before: timestampFromMs(Number(before)) }),
    });
    const shown = reports.slice(0, pageSize);
    const last = shown.length < reports.length ? shown.at(-1)?.reportedAt : undefined;
    const next = last ? `/reports?${openOnly ? "" : "all&"}before=${timestampDate(last).getTime()}` : "";
    return {
      title: text("settings.shell.sections.reports"),
      lead: text("settings.reports.lead"),
      notice: query.get("done") === "closed" ? text("settings.reports.done") : undefined,
      content: html`<p class="inline-actions">${openOnly ? link("/reports?all", text("settings.reports.all")) : link("/reports", text("settings.reports.openOnly"))}</p>
${listPanel(
  shown.map((report) => row(visit, report)),
  openOnly ? text("settings.overview.noReports") : text("settings.reports.none"),
  next,
  language,
)}`,
    };
  },
  actions: {
    async close({ registry }, form) {
      await registry.reports.closeReport({ reportId: form.text("report") });
      return { path: "/reports?done=closed" };
    },
  },
};

function row(visit: Visit, report: Report) {
  const { id, kind, content, reporterEmail, reportedAt, closedAt, closedBy, certificateId, certificate } = report;
  const { language, text } = visit;
  const form = new SettingsForm(visit, "close", id);
  const isOpen = closedAt === undefined;
  return {
    title: text(`pages.report.kinds.${valueName(ReportKind, kind) ?? "other"}`),
    state: isOpen ? badge("warn", text("settings.reports.open")) : badge("good", text("settings.reports.closed")),
    details: [
      certificateLink(certificateId, certificate, text("settings.reports.certificate")),
      moment(reportedAt, language),
      html`${text("settings.reports.reference")} ${code(reportReference(id))}`,
      reporterEmail === ""
        ? undefined
        : html`${text("settings.reports.replyTo")} <a href="${mailtoUrl(reporterEmail)}">${isolated(reporterEmail)}</a>`,
      isOpen
        ? undefined
        : html`${text("settings.reports.closed")}${colonOf(language)}${moment(closedAt, language)}${commaOf(language)}${actorWord(closedBy, language)}`,
    ],
    more: html`<p class="message" dir="auto">${content}</p>
${isOpen && form.frame(form.hidden("report", id), { submit: text("settings.reports.close"), kind: "quiet" })}`,
  };
}
