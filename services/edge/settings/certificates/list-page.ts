import { textsFor } from "#shared/texts/texts.ts";
import { type Html, html } from "../../pages/html.ts";
import { badge, isolated, link, pager, type Row, rowList } from "../components/content.ts";
import { filterForm } from "../components/filter-form.ts";
import { type SettingsPage, settingsPath, type Visit } from "../model/settings-page.ts";
import type { Tone } from "../model/tone.ts";
import { parseCertificate, type ShownCertificate } from "./certificate.ts";
import { nextSearch, searchOf, statuses } from "./search.ts";

const pageSize = 25;

/** Lists and finds certificates. */
export const certificatesPage: SettingsPage = {
  path: "/certificates",
  section: "certificates",
  async show(visit) {
    const { registry, query, language } = visit;
    const request = { ...searchOf(query), limit: pageSize, newestFirst: true };
    const { certificates, next } = await registry.inspection.findCertificates(request);
    const text = textsFor(language);
    const statusOptions = statuses.map((value) => ({ value, label: text(`pages.states.${value}.name`) }));
    const fields = [
      { name: "q", label: text("settings.certificates.search"), type: "search" },
      {
        name: "status",
        label: text("settings.certificates.status"),
        options: [{ value: "", label: text("settings.certificates.all") }, ...statusOptions],
      },
    ] as const;
    return {
      title: text("settings.shell.sections.certificates"),
      lead: text("settings.certificates.lead"),
      content: html`<p class="inline-actions">${link("/certificates/issue", text("settings.certificates.issue"), "button")}${link("/certificates/import", text("settings.import.upload.title"))}${link(`/certificates.csv?${query}`, text("settings.certificates.download"))}</p>
${filterForm(query, fields, text("settings.certificates.find"))}
<form class="panel" method="get" action="${settingsPath}/certificates/sheets">${rowList(
        certificates.map((json) => row(visit, parseCertificate(json))),
        text("settings.certificates.empty"),
      )}
${certificates.length > 0 && printButtons(visit)}</form>
${pager({ path: next ? `/certificates?${nextSearch(query, next)}` : "", label: text("settings.words.next") })}`,
    };
  },
};

function printButtons({ query, language }: Visit): Html {
  const text = textsFor(language);
  const kept = ["q", "status", "after"].flatMap((name) => {
    const value = query.get(name)?.toWellFormed() ?? "";
    return value === "" ? [] : [html`<input type="hidden" name="${name}" value="${value}">`];
  });
  return html`${kept}<div class="submit"><span>${text("settings.certificates.print.selected")}</span>
<button type="submit">${text("settings.certificates.print.sheets")}</button>
<button type="submit" formaction="${settingsPath}/certificates/print">${text("settings.certificates.print.title")}</button></div>`;
}

/** The badge tone for each certificate status. */
export const statusTones: Readonly<Record<ShownCertificate["status"], Tone>> = {
  active: "good",
  revoked: "bad",
  expired: "warn",
};

function row(visit: Visit, certificate: ShownCertificate): Row {
  const { id, serial } = certificate;
  const select = textsFor(visit.language)("settings.certificates.print.select");
  return {
    ...certificateRow(visit, certificate),
    lead: html`<input type="checkbox" name="certificate" value="${id}" aria-label="${select} ${serial}">`,
  };
}

/** Renders a certificate in a list, as a link to its page. */
export function certificateRow({ language }: Visit, certificate: ShownCertificate): Row {
  const { id, serial, status, product, owner, order, edition } = certificate;
  return {
    title: link(`/certificates/${id}`, html`${serial} · ${isolated(product.title)}`),
    state: badge(statusTones[status], textsFor(language)(`pages.states.${status}.name`)),
    details: [
      isolated(product.variant),
      edition === null ? undefined : isolated(edition.formatted),
      isolated(owner.name),
      isolated(owner.email),
      order.name === null ? undefined : isolated(order.name),
    ],
  };
}
