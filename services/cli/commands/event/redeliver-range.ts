import { randomBytes } from "node:crypto";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { PreviewRedeliveryResponse } from "#gen/registry/v1/delivery_service_pb.js";
import { textLimits } from "#shared/text/text-limits.ts";
import { type Clock, steadyClock, systemClock } from "#shared/time/clock.ts";
import { type DeliverySelection, previewedCount, selectDeliveries } from "#shared/webhook/delivery-selection.ts";
import { enumName } from "../../command/enum-names.ts";
import type { Output } from "../../output/output.ts";
import type { StoreCalls } from "../../registry-client/operator-client.ts";
import { noteRetry, retryWhileUnavailable } from "../../registry-client/retry-while-unavailable.ts";
import { timeOrNull, timestampText } from "../../timestamp.ts";

interface RangeOptions {
  readonly selection: DeliverySelection;
  /** The empty string creates a key. */
  readonly idempotencyKey: string;
  readonly isConfirmed: boolean;
}

/** The longest idempotency key of a series: a page's key also has a hyphen and a number of up to seven digits. */
export const seriesKeyMax = textLimits.idempotencyKey.max - 8;

const pageMax = 100;
const pauseMs = 1_000;
const noteEveryMs = 60_000;
const retryLimitMs = 20_000;
// Idempotency keys are kept for 24 hours. A series that ends earlier can still be continued.
const seriesHours = 23;

/**
 * Sends all selected events again, page by page; pauses while the store has too many waiting messages. Every page has
 * an idempotency key made of the series' key and the page's number, so that a series that was interrupted continues
 * when it is repeated with its key and the same `--until`.
 */
export async function redeliverRange(
  store: { readonly deliveries: Pick<StoreCalls["deliveries"], "previewRedelivery" | "redeliverEvents"> },
  output: Output,
  { selection, idempotencyKey, isConfirmed }: RangeOptions,
  clock: Clock = steadyClock,
): Promise<void> {
  const startedAt = clock.now();
  const startDate = timestampFromMs(systemClock.now());
  const preview = await store.deliveries.previewRedelivery({ deliveries: selectDeliveries(selection) });
  // Events that are delivered from now on are not selected; a retry with the same key selects the same.
  const { until = startDate } = preview;
  const deliveries = selectDeliveries({ ...selection, until });
  if (preview.counts.length === 0) return output.result(previewDocument(preview), "no event matches");
  if (!isConfirmed) return output.preview(`send again ${previewText(preview)}`, previewDocument(preview));
  const key = idempotencyKey || randomBytes(16).toString("base64url");
  const continuing = `--idempotency-key=${key} --until ${timestampText(until)}`;
  if (idempotencyKey === "") output.note(`To continue if this is interrupted, add: ${continuing}`);
  let count = 0;
  let noteAt = startedAt;
  for (let page = 0, pageToken = ""; ; ) {
    const request = { deliveries: { ...deliveries, limit: pageMax, pageToken }, idempotencyKey: `${key}-${page}` };
    const call = () => store.deliveries.redeliverEvents(request);
    const queued = await retryWhileUnavailable(call, retryLimitMs, noteRetry(output.note));
    count += queued.queuedCount;
    if (queued.nextPageToken === "" && !queued.isFull) break;
    if (queued.nextPageToken !== pageToken) page += 1;
    pageToken = queued.nextPageToken;
    if (!queued.isFull) continue;
    if (clock.now() >= startedAt + seriesHours * 3_600_000)
      throw new Error(
        `Stopped after ${seriesHours} hours, because too many messages of the store wait to be sent. Queued: ${count}. ` +
          `To continue, repeat the command within an hour with ${continuing}; later, it would send events twice.`,
      );
    if (clock.now() >= noteAt) {
      output.note(`Too many messages of the store wait to be sent. Queued so far: ${count}. Waiting …`);
      noteAt = clock.now() + noteEveryMs;
    }
    await clock.sleep(pauseMs);
  }
  output.result({ queuedCount: count, idempotencyKey: key }, `queued messages: ${count}`);
}

function previewText(preview: PreviewRedeliveryResponse): string {
  const { counts, first, last, isPartial } = preview;
  const total = previewedCount(preview);
  const kinds = counts.map(({ event, count }) => `${count} ${enumName(EventType, event)}`).join(", ");
  const number = isPartial ? `more than ${total}` : `${total}`;
  const times = `with outcomes from ${timestampText(first)} to ${timestampText(last)}`;
  return `${number} ${total === 1 ? "event" : "events"} (${kinds}), ${times}, each with the certificate's current state`;
}

function previewDocument({ counts, first, last, isPartial }: PreviewRedeliveryResponse): object {
  return {
    counts: Object.fromEntries(counts.map(({ event, count }) => [enumName(EventType, event), count])),
    first: timeOrNull(first),
    last: timeOrNull(last),
    isPartial,
  };
}
