import { type Timestamp, timestampDate, timestampFromDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { PreviewRedeliveryResponse } from "#gen/registry/v1/delivery_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { Language } from "#shared/texts/languages.ts";
import { previewedCount } from "#shared/webhook/delivery-selection.ts";
import { colonOf, commaOf, formatNumber, momentFormat } from "../../pages/format.ts";
import { type Html, html } from "../../pages/html.ts";
import { SettingsForm } from "../components/form.ts";
import { ConfirmationNeeded, FormRefusal, type KeyedForm, type Outcome, type Visit } from "../model/settings-page.ts";
import { eventWord } from "../words/names.ts";
import { filtersOf, logFilter, mistakenFilter } from "./log-filter.ts";

const pageSize = 100;
// The registry stops a form earlier if the receiver does not keep up.
const pagesMax = 10;
/** Maximum number of events that one form sends again. */
export const queuedMax = pageSize * pagesMax;
// Before the question names the time until which messages are selected.
const noTime = 0;

interface RangeVisit extends Pick<Visit, "language" | "text" | "now"> {
  readonly registry: {
    readonly deliveries: Pick<Visit["registry"]["deliveries"], "previewRedelivery" | "redeliverEvents">;
  };
}

/** Renders the form that sends the events of all listed messages again or, after a part of them, continues. */
export function rangeForm(visit: Visit): Html {
  const { query, text } = visit;
  const form = new SettingsForm(visit, "range");
  const before = timeOf(query.get("before") ?? "");
  const isContinued = before !== undefined;
  const filters = [...filtersOf((name) => query.get(name))];
  const fields = html`<p class="hint">${isContinued ? text("settings.deliveries.continueLead") : text("settings.deliveries.rangeLead")}</p>
${filters.map(([name, value]) => form.hidden(name, value))}${form.version("before", before ?? noTime)}${
  isContinued &&
  html`${form.hidden("continues", "on")}${form.hidden("from", query.get("from") ?? "")}${form.hidden("key", query.get("key") ?? "")}`
}`;
  const submit = isContinued ? text("settings.deliveries.continue") : text("settings.deliveries.range");
  return html`<div class="panel">${form.frame(fields, { submit, kind: "quiet", confirm: text("settings.deliveries.sendNow") })}</div>`;
}

/** Sends the events of the selected messages again, after a question that says how many they are. */
export async function redeliverRange(visit: RangeVisit, form: KeyedForm): Promise<Outcome> {
  const { registry, text } = visit;
  const filters = filtersOf((name) => form.text(name));
  const mistaken = mistakenFilter(filters);
  if (mistaken !== undefined)
    throw new FormRefusal([{ field: "", text: text("settings.deliveries.filterInvalid", { value: mistaken }) }]);
  const { until, ...selected } = logFilter(filters);
  const before = timeOf(form.text("before"));
  const ends = [...(until ? [timestampDate(until).getTime()] : []), ...(before === undefined ? [] : [before])];
  const deliveries = { ...selected, ...(ends.length > 0 && { until: timestampFromMs(Math.min(...ends)) }) };
  if (!form.isConfirmed && !form.has("continues"))
    throw question(await registry.deliveries.previewRedelivery({ deliveries }), visit);
  const { count, next, key } = await queuePages(registry, deliveries, form);
  filters.set("done", "queued");
  filters.set("count", String(count));
  if (next !== undefined && before !== undefined) {
    filters.set("before", String(before));
    filters.set("from", next);
    if (key !== undefined) filters.set("key", key);
  }
  return { path: `/deliveries?${filters}` };
}

interface QueuedPages {
  readonly count: number;
  /** The page token at which the merchant can continue; undefined if all selected events are queued. */
  readonly next: string | undefined;
  /** The idempotency key of the next page, which may be queued although its call has failed. */
  readonly key?: string;
}

/** Queues pages until the last, a full queue or, after the first, an error: the merchant then continues. */
async function queuePages(
  { deliveries }: RangeVisit["registry"],
  selected: ReturnType<typeof logFilter>,
  form: KeyedForm,
): Promise<QueuedPages> {
  let [pageToken, count] = [form.text("from"), 0];
  for (let page = 0; page < pagesMax; page += 1) {
    const key = (page === 0 && keyOf(form.text("key"))) || `${form.nonce}-${page}`;
    const request = { deliveries: { ...selected, limit: pageSize, pageToken }, idempotencyKey: key };
    try {
      const { queuedCount, nextPageToken, isFull } = await deliveries.redeliverEvents(request);
      count += queuedCount;
      if (isFull) return { count, next: nextPageToken };
      if (nextPageToken === "") return { count, next: undefined };
      pageToken = nextPageToken;
    } catch (error) {
      if (page === 0 || !(error instanceof ServiceError)) throw error;
      return { count, next: pageToken, key };
    }
  }
  return { count, next: pageToken };
}

function question(preview: PreviewRedeliveryResponse, { language, text, now }: RangeVisit): Error {
  const { counts, first, last, isPartial, until = timestampFromDate(now) } = preview;
  const total = previewedCount(preview);
  if (total === 0) return new FormRefusal([{ field: "", text: text("settings.deliveries.rangeEmpty") }]);
  const number = formatNumber(total, language);
  return new ConfirmationNeeded(
    text("settings.deliveries.ask", {
      count: isPartial ? `${number}+` : number,
      events: counts
        .map(({ event, count }) => `${eventWord(event, language)}${colonOf(language)}${formatNumber(count, language)}`)
        .join(commaOf(language)),
      times: rangeText(first, last, language),
    }),
    { before: String(timestampDate(until).getTime()) },
  );
}

function rangeText(first: Timestamp | undefined, last: Timestamp | undefined, language: Language): string {
  if (first === undefined || last === undefined) return "";
  return `${momentFormat(language).formatRange(timestampDate(first), timestampDate(last))} UTC`;
}

function timeOf(text: string): number | undefined {
  return /^[1-9]\d{0,13}$/.test(text) ? Number(text) : undefined;
}

function keyOf(text: string): string {
  return /^[\w-]{1,64}$/.test(text) ? text : "";
}
