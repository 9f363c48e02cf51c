import type { Delivery } from "#gen/registry/v1/inspection_service_pb.js";
import { type Html, html } from "../../pages/html.ts";
import { formatNumber } from "../../pages/messages/format.ts";
import { badge, code, disclosure, facts, isolated, link, listPanel, moment } from "../components/content.ts";
import { filterForm } from "../components/filter-form.ts";
import { SettingsForm } from "../components/form.ts";
import { deliveryReason } from "../delivery-reasons/delivery-reason.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import { shellTexts } from "../shell/texts.ts";
import { eventWord, outcomeTone, outcomeWord } from "../words/names.ts";
import { words } from "../words/texts.ts";
import { filterOutcomes, logFilter, nextPageQuery } from "./log-filter.ts";
import { texts } from "./texts.ts";

const pageSize = 25;

/** Lists the webhook deliveries, and redelivers events. */
export const deliveriesPage: SettingsPage = {
  path: "/deliveries",
  section: "deliveries",
  async show(visit) {
    const { registry, query, language } = visit;
    const { deliveries, nextPageToken } = await registry.webhook.listDeliveries({
      ...logFilter(query),
      limit: pageSize,
    });
    const { lead, empty, waiting } = texts[language];
    const isSent = /^(tst|agn)_/.test(query.get("id") ?? "");
    return {
      title: shellTexts[language].sections.deliveries,
      lead,
      content: html`${filterPanel(visit)}
${listPanel(
  deliveries.map((delivery) => row(visit, delivery)),
  isSent ? waiting : empty,
  { path: nextPageToken && `/deliveries?${nextPageQuery(query, nextPageToken)}`, label: words[language].next },
)}`,
    };
  },
  actions: {
    async again({ registry }, form) {
      const request = { eventId: form.text("event"), idempotencyKey: form.nonce };
      const { deliveryId } = await registry.webhook.redeliverEvent(request);
      return { path: `/deliveries?id=${deliveryId}` };
    },
  },
};

function filterPanel({ query, language }: Visit): Html {
  const { outcome, all, since, until, id, filter } = texts[language];
  const { outcomes, dateInvalid: mistake } = words[language];
  const named = Object.entries(outcomes);
  const options = filterOutcomes.map((value) => {
    return { value, label: named.find(([name]) => name === value)?.[1] ?? value };
  });
  return filterForm(
    query,
    [
      { name: "outcome", label: outcome, options: [{ value: "", label: all }, ...options] },
      { name: "since", label: since, type: "date", mistake },
      { name: "until", label: until, type: "date", mistake },
      { name: "id", label: id, type: "search" },
    ],
    filter,
  );
}

function row(visit: Visit, delivery: Delivery) {
  const { language } = visit;
  const { eventId, certificateId, type, claimedAt, outcome } = delivery;
  const isTest = eventId.startsWith("tst_");
  const httpStatus = outcome === undefined || outcome.httpStatus === 0 ? "" : `HTTP ${outcome.httpStatus}`;
  return {
    title: isTest ? words[language].testMessage : eventWord(type, language),
    state: badge(outcomeTone(outcome?.kind), outcomeWord(outcome?.kind, language)),
    details: [
      ...[moment(claimedAt, language), httpStatus],
      isTest ? undefined : link(`/certificates/${certificateId}`, texts[language].certificate),
    ],
    more: disclosure(texts[language].details, deliveryDetails(visit, delivery)),
  };
}

function deliveryDetails(visit: Visit, { eventId, outcome, requestedBy }: Delivery): Html {
  const { language } = visit;
  const { reason, status, duration, address, requestedBy: by, reply, again, againLead } = texts[language];
  const isEvent = eventId.startsWith("evt_");
  const form = new SettingsForm(visit, "again");
  return html`${facts([
    ["ID", code(eventId)],
    [by, requestedBy === "" ? undefined : isolated(requestedBy)],
    [status, outcome?.httpStatus ? String(outcome.httpStatus) : undefined],
    [duration, outcome && `${formatNumber(outcome.durationMs, language)} ms`],
    [address, outcome?.remoteAddress ? code(outcome.remoteAddress) : undefined],
    [reason, outcome && deliveryReason(outcome.reason, language)],
  ])}
${outcome?.replyExcerpt ? html`<p class="hint">${reply}</p><pre dir="auto">${outcome.replyExcerpt}</pre>` : ""}
${isEvent && outcome !== undefined && form.frame(html`${form.hidden("event", eventId)}<p class="hint">${againLead}</p>`, { submit: again, kind: "quiet" })}`;
}
