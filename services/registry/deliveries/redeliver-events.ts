import type { CertificateLookup, FoundEvent } from "../certificates/certificate-lookup.ts";
import type { ChangeQueue } from "../certificates/commit-queue.ts";
import { idempotent } from "../certificates/idempotent.ts";
import type { Change } from "../certificates/ledger.ts";
import type { Refusal } from "../certificates/refusal.ts";
import { type DeliveryLog, type DeliveryLogQuery, isRepeatable, pageToken, readLogPage } from "./delivery-log.ts";
import { redeliver } from "./redeliver-event.ts";
import { noWebhook, type SendRequest } from "./send-test-message.ts";

/**
 * The number of a store's messages that wait to be sent beyond which no event is redelivered: twelve times the messages
 * that the relay has in flight. New events wait behind at most these.
 */
const waitingMax = 200;

/** The number of deliveries that a preview counts. */
const countedMax = 10_000;

export interface RedeliverEventsDeps {
  readonly queue: ChangeQueue;
  readonly lookup: Pick<CertificateLookup, "findEvents">;
  readonly log: DeliveryLog;
  /** Returns the number of a store's messages that wait to be sent, at most `countMax`. */
  readonly waitingCount: (storeId: string, countMax: number) => Promise<number>;
}

/** The messages that a call has queued, and how the next call continues. */
export interface QueuedPage {
  readonly queuedCount: number;
  /** Where the next call continues; empty for the first page, or if all selected events are queued. */
  readonly nextPageToken: string;
  /** Whether selected events remain because too many messages of the store wait to be sent. */
  readonly isFull: boolean;
}

/** Counts the events that {@link redeliverEvents} would send. */
export function previewRedelivery(log: DeliveryLog, query: DeliveryLogQuery) {
  return log.countEvents({ ...query, after: undefined, isOldestFirst: true }, countedMax);
}

/**
 * Sends the events of a page of deliveries again, oldest first; see {@link redeliverEvent}. Test messages, redeliveries
 * and events that are still being delivered are left out.
 *
 * The messages take their places in the store's order like new events, so a call queues only as many as keep the number
 * of waiting messages small.
 *
 * @param countMax the size of the page, at most 100
 * @throws ServiceError `bad_request` for an invalid idempotency key; `conflict` for a key used for a different request;
 *   `not_found` for an unknown store; `failed_precondition` if the store has no webhook
 */
export async function redeliverEvents(
  deps: RedeliverEventsDeps,
  request: SendRequest & { readonly query: DeliveryLogQuery },
  countMax: number,
): Promise<QueuedPage> {
  const { storeId, query, idempotencyKey, actor } = request;
  const room = waitingMax - (await deps.waitingCount(storeId, waitingMax));
  const found =
    room <= 0
      ? { deliveries: [], next: query.after }
      : await readLogPage(deps.log, { ...query, isOldestFirst: true }, Math.min(countMax, room));
  const eventIds = found.deliveries.filter(isRepeatable).map(({ eventId }) => eventId);
  const events = await deps.lookup.findEvents(storeId, eventIds);
  const page: QueuedPage = {
    queuedCount: 0,
    nextPageToken: found.next === undefined ? "" : pageToken(found.next),
    isFull: room <= 0 || (room < countMax && found.next !== undefined),
  };
  const chosen = eventIds.flatMap((id) => events.get(id) ?? []);
  const change = redelivery(chosen, page, actor);
  // Stored fingerprints include this content, so it must not change.
  return deps.queue.submit(storeId, idempotent(idempotencyKey, ["send range again", query, countMax], change));
}

function redelivery(
  events: readonly FoundEvent[],
  page: QueuedPage,
  requestedBy: string,
): Change<QueuedPage | Refusal> {
  return {
    needs: { certificateIds: [...new Set(events.map(({ certificateId }) => certificateId))] },
    maxTimestamps: events.length,
    maxSerials: 0,
    decide: (draft) => {
      if (!draft.store.hasWebhook) return noWebhook;
      const sent = events.filter(({ certificateId, type, occurredAt }) => {
        const certificate = draft.certificate(certificateId);
        if (certificate !== undefined) redeliver(draft, { type, occurredAt, certificate, requestedBy });
        return certificate !== undefined;
      });
      return { ...page, queuedCount: sent.length };
    },
  };
}
