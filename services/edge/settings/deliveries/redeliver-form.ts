import { type Timestamp, timestampDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { PreviewRedeliveryResponse } from "#gen/registry/v1/delivery_service_pb.js";
import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { formatNumber } from "../../pages/format.ts";
import { type Html, html } from "../../pages/html.ts";
import { SettingsForm } from "../components/form.ts";
import { ConfirmationNeeded, FormRefusal, type Outcome, type SentForm, type Visit } from "../model/settings-page.ts";
import { eventWord } from "../words/names.ts";
import { filtersOf, logFilter } from "./log-filter.ts";

const pageSize = 100;
// The registry stops a form earlier if the receiver does not keep up.
const pagesMax = 10;

/** Renders the form that sends the events of all listed messages again or, after a part of them, continues. */
export function rangeForm(visit: Visit): Html {
  const { query, language, now } = visit;
  const text = textsFor(language);
  const form = new SettingsForm(visit, "range");
  const before = timeOf(query.get("before") ?? "");
  const isContinued = before !== undefined;
  const filters = [...filtersOf((name) => query.get(name))];
  const fields = html`<p class="hint">${isContinued ? text("settings.deliveries.continueLead") : text("settings.deliveries.rangeLead")}</p>
${filters.map(([name, value]) => form.hidden(name, value))}${form.version("before", before ?? now.getTime())}${
  isContinued && html`${form.hidden("continues", "on")}${form.hidden("from", query.get("from") ?? "")}`
}`;
  const submit = isContinued ? text("settings.deliveries.continue") : text("settings.deliveries.range");
  return html`<div class="panel">${form.frame(fields, { submit, kind: "quiet" })}</div>`;
}

/** Sends the events of the selected messages again, after a question that says how many they are. */
export async function redeliverRange({ registry, language }: Visit, form: SentForm): Promise<Outcome> {
  const filters = filtersOf((name) => form.text(name));
  const { until, ...selected } = logFilter(filters);
  const before = timeOf(form.text("before"));
  const ends = [...(until ? [timestampDate(until).getTime()] : []), ...(before === undefined ? [] : [before])];
  const deliveries = { ...selected, ...(ends.length > 0 && { until: timestampFromMs(Math.min(...ends)) }) };
  if (!form.isConfirmed && !form.has("continues"))
    throw question(await registry.deliveries.previewRedelivery({ deliveries }), language);
  let [pageToken, count, isFull] = [form.text("from"), 0, false];
  for (let page = 0; page < pagesMax && !isFull && (page === 0 || pageToken !== ""); page += 1) {
    const request = { deliveries: { ...deliveries, limit: pageSize, pageToken } };
    const idempotencyKey = `${form.nonce}-${page}`;
    const queued = await registry.deliveries.redeliverEvents({ ...request, idempotencyKey });
    count += queued.queuedCount;
    ({ nextPageToken: pageToken, isFull } = queued);
  }
  filters.set("done", "queued");
  filters.set("count", String(count));
  if ((isFull || pageToken !== "") && before !== undefined) {
    filters.set("before", String(before));
    filters.set("from", pageToken);
  }
  return { path: `/deliveries?${filters}` };
}

function question({ counts, first, last, isPartial }: PreviewRedeliveryResponse, language: Language): Error {
  const text = textsFor(language);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return new FormRefusal([{ field: "", text: text("settings.deliveries.rangeEmpty") }]);
  const number = formatNumber(total, language);
  return new ConfirmationNeeded(
    text("settings.deliveries.ask", {
      count: isPartial ? `${number}+` : number,
      events: counts
        .map(({ event, count }) => `${eventWord(event, language)}: ${formatNumber(count, language)}`)
        .join(", "),
      times: `${timeText(first)} – ${timeText(last)}`,
    }),
  );
}

function timeText(time: Timestamp | undefined): string {
  return time === undefined ? "" : `${timestampDate(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function timeOf(text: string): number | undefined {
  return /^\d{1,14}$/.test(text) ? Number(text) : undefined;
}
