import type { Delivery } from "#gen/registry/v1/inspection_service_pb.js";
import { eventNames } from "#shared/events/event-name.ts";
import { outcomeNames } from "#shared/webhook/delivery-selection.ts";
import { type Html, html } from "../../pages/html.ts";
import { badge, disclosure, link, listPanel, moment } from "../components/content.ts";
import { filterForm } from "../components/filter-form.ts";
import { SettingsForm } from "../components/form.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import { namedEvent, namedOutcome, outcomeTone, outcomeWord } from "../words/names.ts";
import { deliveryDetails, liveSeconds, messageTitle } from "./delivery-details.ts";
import { filtersOf, logFilter, mistakenFilter, nextPageQuery } from "./log-filter.ts";
import { queuedMax, rangeForm, redeliverRange } from "./redeliver-form.ts";

const pageSize = 25;

/** Lists the webhook deliveries, and redelivers events. */
export const deliveriesPage: SettingsPage = {
  path: "/deliveries",
  section: "deliveries",
  async show(visit) {
    const { registry, query, language, text } = visit;
    const mistaken = mistakenFilter(query);
    const { deliveries, nextPageToken } =
      mistaken === undefined
        ? await registry.inspection.listDeliveries({ ...logFilter(query), limit: pageSize })
        : { deliveries: [], nextPageToken: "" };
    const isAwaited = isSentByHand(query) && deliveries.every(({ outcome }) => outcome === undefined);
    return {
      title: text("settings.shell.sections.deliveries"),
      lead: text("settings.deliveries.lead"),
      notice: query.get("done") === "queued" ? queuedNotice(visit) : undefined,
      // What remains to be sent again is above the list, below which a merchant would not look for it.
      content: html`${query.has("before") && rangeForm(visit)}
${filterPanel(visit)}
${isAwaited && arrivingPanel(visit)}
${
  !(isAwaited && deliveries.length === 0) &&
  listPanel(
    deliveries.map((delivery) => row(visit, delivery)),
    emptyText(visit),
    nextPageToken && `/deliveries?${nextPageQuery(query, nextPageToken)}`,
    language,
  )
}
${deliveries.length > 0 && !query.has("before") && rangeForm(visit)}`,
    };
  },
  keyedActions: {
    range: redeliverRange,
    async again({ registry }, form) {
      const request = { eventId: form.text("event"), idempotencyKey: form.nonce };
      const { deliveryId } = await registry.deliveries.redeliverEvent(request);
      return { path: `/deliveries?id=${deliveryId}` };
    },
  },
};

/** Returns the notice after events were sent again; undefined for a number that no form can have sent. */
export function queuedNotice({ query, text }: Pick<Visit, "query" | "text">): string | undefined {
  const count = Number(query.get("count") ?? Number.NaN);
  const isPossible = Number.isInteger(count) && count >= 0 && count <= queuedMax;
  return isPossible ? text("settings.deliveries.queued", { count }) : undefined;
}

function emptyText({ query, text }: Visit): string {
  const mistaken = mistakenFilter(query);
  if (mistaken !== undefined) return text("settings.deliveries.filterInvalid", { value: mistaken });
  const isFiltered = filtersOf((name) => query.get(name)).size > 0;
  return isFiltered ? text("settings.deliveries.empty") : text("settings.deliveries.none");
}

/** Returns whether a query shows only a message that a merchant has sent by hand. */
function isSentByHand(query: URLSearchParams): boolean {
  const filters = filtersOf((name) => query.get(name));
  return filters.size === 1 && /^(tst|agn)_/.test(filters.get("id") ?? "");
}

/** Renders that a message is on its way. The script reads the page again until the message has an outcome. */
function arrivingPanel({ query, text }: Visit): Html {
  const again = `/deliveries?${filtersOf((name) => query.get(name))}`;
  return html`<section class="panel" data-live="${liveSeconds}"><p role="status">${text("settings.webhook.arriving")}</p>
<p class="more" data-without-script>${link(again, text("settings.import.refresh"), "button")}</p></section>`;
}

function filterPanel({ query, language, text }: Visit): Html {
  const all = { value: "", label: text("settings.words.all") };
  const outcomes = outcomeNames.map((value) => ({ value, label: namedOutcome(value, language) }));
  const events = eventNames.map((value) => ({ value, label: namedEvent(value, language) }));
  const day = { type: "date", mistake: text("settings.words.dateInvalid") } as const;
  const fields = [
    { name: "event", label: text("settings.deliveries.event"), options: [all, ...events] },
    { name: "outcome", label: text("settings.deliveries.outcome"), options: [all, ...outcomes] },
    { name: "since", label: text("settings.deliveries.since"), ...day },
    { name: "until", label: text("settings.deliveries.until"), ...day },
    { name: "id", label: text("settings.deliveries.id"), type: "search" },
  ] as const;
  return filterForm(query, fields, text("settings.deliveries.filter"));
}

function row(visit: Visit, delivery: Delivery) {
  const { language, text } = visit;
  const { eventId, claimedAt, outcome } = delivery;
  const again = new SettingsForm(visit, "again", eventId);
  const httpStatus = outcome === undefined || outcome.httpStatus === 0 ? "" : `HTTP ${outcome.httpStatus}`;
  return {
    title: messageTitle(visit, delivery),
    state: badge(outcomeTone(outcome?.kind), outcomeWord(outcome?.kind, language)),
    details: [moment(claimedAt, language), httpStatus],
    more: disclosure(
      text("settings.deliveries.details"),
      html`${deliveryDetails(visit, delivery)}${againForm(again, visit, delivery)}`,
      again.isRefused,
    ),
  };
}

function againForm(form: SettingsForm, { text }: Visit, { eventId, outcome }: Delivery): Html | undefined {
  if (!eventId.startsWith("evt_") || outcome === undefined) return undefined;
  const fields = html`${form.hidden("event", eventId)}<p class="hint">${text("settings.deliveries.againLead")}</p>`;
  return form.frame(fields, { submit: text("settings.deliveries.again"), kind: "quiet" });
}
