import { html } from "../../pages/html.ts";
import { messagesOf } from "../../pages/messages/languages.ts";
import { badge, isolated, link, rowList, type Tone } from "../components/content.ts";
import { filterForm } from "../components/filter-form.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
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
      content: html`<p class="inline-actions">${link("/certificates/issue", issue, "button")}${link(`/certificates.csv?${query}`, download)}${link(`/certificates/print?${query}`, printTexts[language].title)}</p>
${filterForm(query, fields, find)}
<section class="panel">${rowList(
        certificates.map((json) => row(visit, parseCertificate(json))),
        empty,
      )}</section>
${next && html`<p class="pager">${link(`/certificates?${nextSearch(query, next)}`, words[language].next, "button")}</p>`}`,
    };
  },
};

/** How good each state of a certificate is. */
export const statusTones: Readonly<Record<ShownCertificate["status"], Tone>> = {
  active: "good",
  revoked: "bad",
  expired: "warn",
};

function row({ language }: Visit, { id, serial, status, product, owner, order, edition }: ShownCertificate) {
  return {
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
