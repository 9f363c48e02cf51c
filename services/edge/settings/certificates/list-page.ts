import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { FindCertificatesResponse } from "#gen/registry/v1/inspection_service_pb.js";
import { type PublicCertificate, publicCertificateSchema } from "#shared/certificates/public-certificate.ts";
import { searchLimits } from "#shared/certificates/search-limits.ts";
import type { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { momentFormat } from "../../pages/format.ts";
import { type Html, html, isolated } from "../../pages/html.ts";
import { badge, link, moment, pager, type Row, rowList, type Tone } from "../components/content.ts";
import { filterForm } from "../components/filter-form.ts";
import { type SettingsPage, settingsPath, type Visit } from "../model/settings-page.ts";
import { editionOf } from "../words/edition.ts";
import { listOf, listParameters, nextSearch, orderOf, parametersOf, reversed, statuses } from "./search.ts";

const pageSize = 25;

/** Lists and finds certificates. */
export const certificatesPage: SettingsPage = {
  path: "/certificates",
  section: "certificates",
  async show(visit) {
    const { registry, query, language } = visit;
    const request = { ...listOf(query), limit: pageSize };
    let failure: ServiceError | undefined;
    const page = await registry.inspection.findCertificates(request).catch((error: unknown) => {
      failure = toServiceError(error);
      // The session was found just before, so the search itself took too long, or others take all its places.
      if (request.search === undefined || failure.code !== "unavailable") throw error;
    });
    const text = textsFor(language);
    const statusOptions = statuses.map((value) => ({ value, label: text(`pages.states.${value}.name`) }));
    const fields = [
      {
        name: "q",
        label: text("settings.certificates.search"),
        type: "search",
        charactersMax: searchLimits.charactersMax,
      },
      {
        name: "status",
        label: text("settings.certificates.status"),
        options: [{ value: "", label: text("settings.words.all") }, ...statusOptions],
      },
    ] as const;
    return {
      title: text("settings.shell.sections.certificates"),
      failure,
      lead: html`${text(`settings.certificates.lead.${orderOf(query)}`)} ${link(`/certificates${reversed(query)}`, text("settings.certificates.reverse"))}`,
      content: html`<p class="inline-actions">${link("/certificates/issue", text("settings.certificates.issue"), "button")}${link("/certificates/import", text("settings.import.upload.title"))}${link(`/certificates.csv?${query}`, text("settings.certificates.download"))}</p>
${filterForm(query, fields, text("settings.certificates.find"))}
${page === undefined ? stopped(visit) : result(visit, page)}`,
    };
  },
};

/** Renders a page of the list, and where it continues. */
function result(visit: Visit, { certificates, next, examinedTo }: FindCertificatesResponse): Html {
  const { query, language } = visit;
  const text = textsFor(language);
  const isUnfinished = certificates.length === 0 && examinedTo !== undefined;
  return html`${isUnfinished ? html`<section class="panel empty"><p>${text("settings.certificates.noneHere")}</p></section>` : found(visit, certificates)}
${examinedTo && html`<p class="hint">${text(`settings.certificates.examined.${orderOf(query)}`, { date: `${momentFormat(language).format(timestampDate(examinedTo))} UTC` })}</p>`}
${pager(
  next ? `/certificates?${nextSearch(query, next)}` : "",
  text(examinedTo ? "settings.certificates.searchFurther" : "settings.words.next"),
)}`;
}

/** Renders what to do after a search that took too long. */
function stopped({ language }: Visit): Html {
  const text = textsFor(language);
  return html`<section class="panel empty"><p>${text("settings.certificates.tooSlow")}</p>
<p class="hint">${text("settings.certificates.searchable")}</p>
<p>${link("/certificates", text("settings.certificates.clear"), "button")}</p></section>`;
}

/** Renders the certificates of a page or, if there are none, what the search can find. */
function found(visit: Visit, certificates: FindCertificatesResponse["certificates"]): Html {
  const { query, language } = visit;
  const text = textsFor(language);
  if (certificates.length === 0) {
    const isSearch = ["q", "status", "after"].some((name) => query.get(name));
    return html`<section class="panel empty"><p>${text(isSearch ? "settings.certificates.empty" : "settings.certificates.none")}</p>
${
  isSearch &&
  html`<p class="hint">${text("settings.certificates.searchable")}</p>
<p>${link("/certificates", text("settings.certificates.clear"), "button")}</p>`
}</section>`;
  }
  const rows = certificates.map((json) => row(visit, publicCertificateSchema.parse(json)));
  return html`<form class="panel" method="get" action="${settingsPath}/certificates/sheets">${rowList(rows, "")}
${printButtons(visit)}</form>`;
}

function printButtons({ query, language }: Visit): Html {
  const text = textsFor(language);
  const kept = parametersOf(query, [...listParameters, "after"]).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`${kept}<div class="submit"><span>${text("settings.certificates.print.selected")}</span>
<button type="submit">${text("settings.certificates.print.sheets")}</button>
<button type="submit" formaction="${settingsPath}/certificates/print">${text("settings.certificates.print.title")}</button></div>`;
}

/** The badge tone for each certificate status. */
export const statusTones: Readonly<Record<PublicCertificate["status"], Tone>> = {
  active: "good",
  revoked: "bad",
  expired: "warn",
};

function row(visit: Visit, certificate: PublicCertificate): Row {
  const { id, serial } = certificate;
  const select = textsFor(visit.language)("settings.certificates.print.select");
  return {
    ...certificateRow(visit, certificate),
    lead: html`<input type="checkbox" name="certificate" value="${id}" aria-label="${select} ${serial}">`,
  };
}

/** Renders a certificate in a list, as a link to its page. */
export function certificateRow({ language }: Visit, certificate: PublicCertificate): Row {
  const { id, serial, status, product, owner, order, edition, updatedAt } = certificate;
  return {
    title: link(`/certificates/${id}`, html`${serial}&nbsp;· ${isolated(product.title)}`),
    state: badge(statusTones[status], textsFor(language)(`pages.states.${status}.name`)),
    details: [
      isolated(product.variant),
      edition === null ? undefined : isolated(editionOf(edition, language)),
      isolated(owner.name),
      isolated(owner.email),
      order.name === null ? undefined : isolated(order.name),
      moment(new Date(updatedAt), language),
    ],
  };
}
