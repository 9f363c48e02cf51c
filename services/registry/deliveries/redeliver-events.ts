import type { CertificateLookup, FoundEvent } from "../certificates/certificate-lookup.ts";
import type { ChangeQueue } from "../certificates/commit-queue.ts";
import { idempotent } from "../certificates/idempotent.ts";
import type { Change } from "../certificates/ledger.ts";
import type { Refusal } from "../certificates/refusal.ts";
import { type LogPlace, tokenOf } from "../values/page-token.ts";
import { type DeliveryLog, type DeliveryLogQuery, type LoggedDelivery, placeOf, readLogPage } from "./delivery-log.ts";
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
}

/** The messages that a call has queued, and how the next call continues. */
interface QueuedPage {
  readonly queuedCount: number;
  /** Where the next call continues; empty for the first page, or if all selected events are queued. */
  readonly nextPageToken: string;
  /** Whether selected events remain because too many messages of the store wait to be sent. */
  readonly isFull: boolean;
}

/**
 * Counts the events that {@link redeliverEvents} would send.
 *
 * @param now the database's time, at which a selection without an end ends
 */
export async function previewRedelivery(log: DeliveryLog, query: DeliveryLogQuery, now: Date) {
  const { until = now } = query;
  return { ...(await log.countEvents({ ...repeatable(query), after: undefined, until }, countedMax)), until };
}

function repeatable(query: DeliveryLogQuery): DeliveryLogQuery {
  return { ...query, isRepeatable: true, isOldestFirst: true };
}

/**
 * Sends the events of a page of deliveries again, oldest first; see {@link redeliverEvent}. Test messages, redeliveries
 * and events that are still being delivered are left out, as are events that another call sends again at the same time.
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
  const found = await readLogPage(deps.log, repeatable(query), countMax);
  const events = await deps.lookup.findEvents(
    storeId,
    found.entries.map(({ eventId }) => eventId),
  );
  const change = redelivery({ deliveries: found.entries, next: found.next, after: query.after }, events, actor);
  // Stored fingerprints include this content, so it must not change.
  const after = query.after && { claimedAt: query.after.at, eventId: query.after.id };
  const content = ["send range again", { ...query, after }, countMax];
  return deps.queue.submit(storeId, idempotent(idempotencyKey, content, change));
}

/** A page of deliveries, and the positions at which it and the next page begin. */
interface FoundPage {
  readonly deliveries: readonly LoggedDelivery[];
  readonly after: LogPlace | undefined;
  readonly next: LogPlace | undefined;
}

function redelivery(
  { deliveries, after, next }: FoundPage,
  events: ReadonlyMap<string, FoundEvent>,
  requestedBy: string,
): Change<QueuedPage | Refusal> {
  return {
    needs: {
      certificateIds: [...new Set([...events.values()].map(({ certificateId }) => certificateId))],
      resentEventIds: [...events.keys()],
      waitingMax,
    },
    maxTimestamps: events.size,
    maxSerials: 0,
    decide: (draft) => {
      if (!draft.store.hasWebhook) return noWebhook;
      const taken = deliveries.slice(0, Math.max(0, waitingMax - draft.waitingCount));
      const sent = taken.filter(({ eventId, resentAs: resentBefore }) => {
        // Another call has sent the event again since this one read the page.
        const resentAs = draft.resentAs(eventId);
        if (resentAs !== undefined && resentAs !== resentBefore) return false;
        const event = events.get(eventId);
        const certificate = event && draft.certificate(event.certificateId);
        if (event === undefined || certificate === undefined) return false;
        redeliver(draft, event, { certificate, requestedBy });
        return true;
      });
      const isFull = taken.length < deliveries.length;
      const last = taken.at(-1);
      const place = isFull ? ((last && placeOf(last)) ?? after) : next;
      return { queuedCount: sent.length, nextPageToken: tokenOf(place), isFull };
    },
    // A repeated series must go the same way: the key of the next page belongs to that page's position.
    isAnswer: (page) => !("refused" in page) && (!page.isFull || page.nextPageToken !== tokenOf(after)),
  };
}
