import { type Timestamp, timestampDate, timestampMs } from "@bufbuild/protobuf/wkt";
import type { FindCertificatesResponse } from "#gen/registry/v1/inspection_service_pb.js";
import { type PublicCertificate, publicCertificatesSchema } from "#shared/certificates/public-certificate.ts";
import { searchLimits } from "#shared/certificates/search-limits.ts";
import type { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
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
    const { registry, query, text } = visit;
    const request = { ...listOf(query), limit: pageSize };
    let failure: ServiceError | undefined;
    const searching = registry.inspection.findCertificates(request).catch((error: unknown) => {
      failure = toServiceError(error);
      // The session was found just before, so the search itself took too long, or others take all its places.
      if (request.search === undefined || failure.code !== "unavailable") throw error;
      return undefined;
    });
    const [numbered, page] = await Promise.all([lookUpNumber(visit, request), searching]);
    const statusOptions = statuses.map((value) => ({ value, label: text(`pages.states.${value}.name`) }));
    const { charactersMax } = searchLimits;
    const all = { value: "", label: text("settings.words.all") };
    const fields = [
      { name: "q", label: text("settings.certificates.search"), type: "search", charactersMax },
      { name: "status", label: text("settings.certificates.status"), options: [all, ...statusOptions] },
    ] as const;
    return {
      title: text("settings.shell.sections.certificates"),
      failure,
      lead: html`${text(`settings.certificates.lead.${orderOf(query)}`)} ${link(`/certificates${reversed(query)}`, text("settings.certificates.reverse"))}`,
      content: html`<p class="inline-actions">${link("/certificates/issue", text("settings.certificates.issue"), "button")}${link("/certificates/import", text("settings.import.upload.title"))}${link(`/certificates.csv?${query}`, text("settings.certificates.download"))}</p>
${filterForm(query, fields, text("settings.certificates.find"))}
${result(visit, page, numbered)}`,
    };
  },
};

interface Numbered {
  readonly certificates: readonly PublicCertificate[];
  /** The number, unless only orders were looked up. */
  readonly number: string | undefined;
  /** Whether there is no such certificate, with whatever status. */
  readonly isUnknown: boolean;
  /** Where the list continues, if an order has more certificates than a page. */
  readonly next: FindCertificatesResponse["next"];
}

/**
 * Looks up the certificate and the order whose number a search consists of. Unlike the search, which also finds
 * products with this number, this takes no time that grows with the store. The order is looked up by its
 * exact name as typed, and without leading zeros, because certificates show their numbers with them.
 *
 * @returns undefined for another search, for its later pages, and if the look-up fails
 */
async function lookUpNumber(
  { registry }: Visit,
  { search = "", ...filters }: ReturnType<typeof listOf> & { readonly limit: number },
): Promise<Numbered | undefined> {
  const [, hash, zeros = "", digits] = /^(#?)(0*)(\d+)$/.exec(search) ?? [];
  if (digits === undefined || filters.after !== undefined) return undefined;
  const isSerial = hash === "";
  const names = new Set([`#${zeros}${digits}`, `#${digits}`]);
  const orders = [...names].map((value) => ({ order: { case: "orderName", value } as const }));
  const lookUps = [...(isSerial ? [{ serial: digits }] : []), ...orders];
  // The search itself reports what fails.
  const pages = await Promise.all(
    lookUps.map((by) => registry.inspection.findCertificates({ ...filters, ...by })),
  ).catch(() => undefined);
  if (pages === undefined) return undefined;
  const found = pages.flatMap(({ certificates }) => publicCertificatesSchema.parse(certificates));
  // The position that both orders' lists reach first: the search continues from there with either.
  const direction = filters.newestFirst ? -1 : 1;
  const positions = pages.flatMap(({ next }) => next ?? []);
  const [next] = positions.toSorted((one, other) => direction * (timestampMs(one) - timestampMs(other)));
  return {
    certificates: [...new Map(found.map((one) => [one.id, one])).values()],
    number: isSerial ? digits : undefined,
    isUnknown: isSerial && filters.status === undefined && found.length === 0,
    next,
  };
}

/**
 * Renders a page of the list, and where it continues.
 *
 * @param page undefined if the search took too long
 */
function result(visit: Visit, page: FindCertificatesResponse | undefined, numbered: Numbered | undefined): Html {
  const { query, text } = visit;
  const examinedTo = page?.examinedTo;
  const next = page === undefined ? numbered?.next : page.next;
  const certificates = publicCertificatesSchema.parse(page?.certificates ?? []);
  const listed = new Set(certificates.map(({ id }) => id));
  const first = numbered?.certificates.filter(({ id }) => !listed.has(id)) ?? [];
  const isKnown = first.length > 0 || numbered?.isUnknown === true;
  if (page === undefined && !isKnown) return stopped(visit);
  const isUnfinished = page === undefined || examinedTo !== undefined;
  const isEmpty = first.length + certificates.length === 0;
  return html`${isUnfinished && isEmpty ? nothingYet(visit, numbered) : found(visit, certificates, first)}
${isUnfinished && html`<p class="hint">${examinedTo && !(isKnown && numbered?.number) ? examinedText(visit, examinedTo) : text("settings.certificates.number.others")}</p>`}
${pager(
  next ? `/certificates?${nextSearch(query, next)}` : "",
  text(isUnfinished ? "settings.certificates.searchFurther" : "settings.words.next"),
)}`;
}

function examinedText({ query, language, text }: Visit, examinedTo: Timestamp): string {
  const date = `${momentFormat(language).format(timestampDate(examinedTo))} UTC`;
  return text(`settings.certificates.examined.${orderOf(query)}`, { date });
}

function nothingYet({ text }: Visit, numbered: Numbered | undefined): Html {
  const { number = "", isUnknown = false } = numbered ?? {};
  return html`<section class="panel empty"><p>${isUnknown ? text("settings.certificates.number.none", { number }) : text("settings.certificates.noneHere")}</p></section>`;
}

function stopped({ text }: Visit): Html {
  return html`<section class="panel empty"><p>${text("settings.certificates.tooSlow")}</p>
<p class="hint">${text("settings.certificates.searchable")}</p>
<p>${link("/certificates", text("settings.certificates.clear"), "button")}</p></section>`;
}

/**
 * Renders the certificates of a page or, if there are none, what the search can find.
 *
 * @param first those that a number identifies and that the page lacks
 */
function found(visit: Visit, certificates: readonly PublicCertificate[], first: readonly PublicCertificate[]): Html {
  const { query, text } = visit;
  if (certificates.length + first.length === 0) {
    const isSearch = ["q", "status", "after"].some((name) => query.get(name));
    return html`<section class="panel empty"><p>${text(isSearch ? "settings.certificates.empty" : "settings.certificates.none")}</p>
${
  isSearch &&
  html`<p class="hint">${text("settings.certificates.searchable")}</p>
<p>${link("/certificates", text("settings.certificates.clear"), "button")}</p>`
}</section>`;
  }
  const rowsOf = (some: readonly PublicCertificate[]) =>
    some.length > 0 &&
    rowList(
      some.map((one) => row(visit, one)),
      "",
    );
  return html`<form class="panel" method="get" action="${settingsPath}/certificates/sheets">${first.length > 0 && html`<p class="hint">${text("settings.certificates.number.found")}</p>`}${rowsOf(first)}${rowsOf(certificates)}
${printButtons(visit)}</form>`;
}

function printButtons({ query, text }: Visit): Html {
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
  const select = visit.text("settings.certificates.print.select");
  return {
    ...certificateRow(visit, certificate),
    lead: html`<input type="checkbox" name="certificate" value="${id}" aria-label="${select} ${serial}">`,
  };
}

/** Renders a certificate in a list, as a link to its page. */
export function certificateRow({ language, text }: Visit, certificate: PublicCertificate): Row {
  const { id, serial, status, product, owner, order, edition, updatedAt } = certificate;
  return {
    title: link(`/certificates/${id}`, html`${serial}&nbsp;· ${isolated(product.title)}`),
    state: badge(statusTones[status], text(`pages.states.${status}.name`)),
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
