import { type Html, html } from "../../pages/html.ts";
import { messagesOf } from "../../pages/messages/languages.ts";
import { badge, isolated, link, pager, rowList } from "../components/content.ts";
import { filterForm } from "../components/filter-form.ts";
import { uploadTexts } from "../import/upload-texts.ts";
import { type SettingsPage, settingsPath, type Visit } from "../model/settings-page.ts";
import type { Tone } from "../model/tone.ts";
import { shellTexts } from "../shell/texts.ts";
import { words } from "../words/texts.ts";
import { parseCertificate, type ShownCertificate } from "./certificate.ts";
import { texts as printTexts } from "./print-texts.ts";
import { nextSearch, searchOf, statuses } from "./search.ts";
import { texts } from "./texts.ts";

const pageSize = 25;

/** Lists and finds certificates. */
export const certificatesPage: SettingsPage = {
  path: "/certificates",
  section: "certificates",
  async show(visit) {
    const { registry, query, language } = visit;
    const request = { ...searchOf(query), limit: pageSize, newestFirst: true };
    const { certificates, next } = await registry.certificates.findCertificates(request);
    const { lead, search, status, all, find, empty, issue, download } = texts[language];
    const { states } = messagesOf[language];
    const statusOptions = statuses.map((value) => ({ value, label: states[value].name }));
    const fields = [
      { name: "q", label: search, type: "search" },
      { name: "status", label: status, options: [{ value: "", label: all }, ...statusOptions] },
    ] as const;
    return {
      title: shellTexts[language].sections.certificates,
      lead,
      content: html`<p class="inline-actions">${link("/certificates/issue", issue, "button")}${link("/certificates/import", uploadTexts[language].title)}${link(`/certificates.csv?${query}`, download)}</p>
${filterForm(query, fields, find)}
<form class="panel" method="get" action="${settingsPath}/certificates/sheets">${rowList(
        certificates.map((json) => row(visit, parseCertificate(json))),
        empty,
      )}
${certificates.length > 0 && printButtons(visit)}</form>
${pager({ path: next ? `/certificates?${nextSearch(query, next)}` : "", label: words[language].next })}`,
    };
  },
};

function printButtons({ query, language }: Visit): Html {
  const { selected, sheets, title } = printTexts[language];
  const kept = ["q", "status", "after"].flatMap((name) => {
    const value = query.get(name)?.toWellFormed() ?? "";
    return value === "" ? [] : [html`<input type="hidden" name="${name}" value="${value}">`];
  });
  return html`${kept}<div class="submit"><span>${selected}</span>
<button type="submit">${sheets}</button>
<button type="submit" formaction="${settingsPath}/certificates/print">${title}</button></div>`;
}

/** The badge tone for each certificate status. */
export const statusTones: Readonly<Record<ShownCertificate["status"], Tone>> = {
  active: "good",
  revoked: "bad",
  expired: "warn",
};

function row({ language }: Visit, { id, serial, status, product, owner, order, edition }: ShownCertificate) {
  return {
    lead: html`<input type="checkbox" name="certificate" value="${id}" aria-label="${printTexts[language].select} ${serial}">`,
    title: link(`/certificates/${id}`, html`${serial} · ${isolated(product.title)}`),
    state: badge(statusTones[status], messagesOf[language].states[status].name),
    details: [
      isolated(product.variant),
      edition && isolated(edition.formatted),
      isolated(owner.name),
      isolated(owner.email),
      order.name === null ? undefined : isolated(order.name),
    ].filter((detail) => detail !== null),
  };
}
