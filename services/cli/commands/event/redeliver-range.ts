import { randomBytes } from "node:crypto";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { PreviewRedeliveryResponse } from "#gen/registry/v1/delivery_service_pb.js";
import { type Clock, systemClock } from "#shared/time/clock.ts";
import { selectDeliveries } from "#shared/webhook/delivery-selection.ts";
import { enumName } from "../../command/enum-names.ts";
import type { Output } from "../../output/output.ts";
import type { StoreCalls } from "../../registry-client/operator-client.ts";
import { retryWhileUnavailable } from "../../registry-client/retry-while-unavailable.ts";
import { timeOrNull, timestampText } from "../../timestamp.ts";
import type { SelectionOptions } from "./selection.ts";

interface RangeOptions {
  readonly selection: SelectionOptions;
  /** The empty string creates a key. */
  readonly idempotencyKey: string;
  readonly isConfirmed: boolean;
}

const pageMax = 100;
const pauseMs = 1_000;
const retryLimitMs = 20_000;

/**
 * Sends all selected events again, page by page; pauses while the store has too many waiting messages. Every page has
 * an idempotency key made of the series' key and the page's number, so that a series that was interrupted continues
 * when it is repeated with its key and the same `--until`.
 */
export async function redeliverRange(
  store: Pick<StoreCalls, "deliveries">,
  output: Output,
  { selection, idempotencyKey, isConfirmed }: RangeOptions,
  clock: Clock = systemClock,
): Promise<void> {
  // Events that are delivered from now on are not selected; a retry with the same key selects the same.
  const { until = timestampFromMs(clock.now()) } = selection;
  const deliveries = selectDeliveries({ ...selection, until });
  const preview = await store.deliveries.previewRedelivery({ deliveries });
  if (preview.counts.length === 0) return output.result(previewDocument(preview), "no event matches");
  if (!isConfirmed) return output.preview(`send again ${previewText(preview)}`, previewDocument(preview));
  const key = idempotencyKey || randomBytes(16).toString("base64url");
  if (idempotencyKey === "")
    output.note(`To continue if this is interrupted, add: --idempotency-key=${key} --until ${timestampText(until)}`);
  let count = 0;
  for (let page = 0, pageToken = ""; ; ) {
    const request = { deliveries: { ...deliveries, limit: pageMax, pageToken }, idempotencyKey: `${key}-${page}` };
    const onWait = ({ message }: Error) => output.note(`${message} Retrying …`);
    const queued = await retryWhileUnavailable(() => store.deliveries.redeliverEvents(request), retryLimitMs, onWait);
    count += queued.queuedCount;
    if (queued.nextPageToken === "" && !queued.isFull) break;
    if (queued.nextPageToken !== pageToken) page += 1;
    pageToken = queued.nextPageToken;
    if (queued.isFull) await clock.sleep(pauseMs);
  }
  output.result({ queuedCount: count, idempotencyKey: key }, `queued messages: ${count}`);
}

function previewText({ counts, first, last, isPartial }: PreviewRedeliveryResponse): string {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const kinds = counts.map(({ event, count }) => `${count} ${enumName(EventType, event)}`).join(", ");
  const number = isPartial ? `more than ${total}` : `${total}`;
  const times = `delivered from ${timestampText(first)} to ${timestampText(last)}`;
  return `${number} events (${kinds}), ${times}, each with the certificate's current state`;
}

function previewDocument({ counts, first, last, isPartial }: PreviewRedeliveryResponse): object {
  return {
    counts: Object.fromEntries(counts.map(({ event, count }) => [enumName(EventType, event), count])),
    first: timeOrNull(first),
    last: timeOrNull(last),
    isPartial,
  };
}
