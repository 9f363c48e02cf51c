import type { Collection } from "mongodb";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { eventName } from "#shared/events/event-name.ts";
import type { StoreDraft } from "../../certificates/store-draft.ts";
import { selects } from "../../triggers/trigger.ts";
import type { Collections } from "../documents/collections.ts";
import { compoundKey } from "../documents/compound-key.ts";
import { documentOf } from "../documents/convert-documents.ts";
import type { OutboxDocument, StoreDocument } from "../documents/documents.ts";
import { newEntry } from "../documents/trigger-documents.ts";
import type { AnyDocument, Write } from "../driver/write-documents.ts";
import { dueWrites } from "../due-work/due-orders.ts";
import { isListenedTo, listenWrites } from "../listening/listen-writes.ts";
import { encodeEvents } from "./encode-events.ts";

interface DraftWriteOptions {
  /** Maximum size of an event in bytes. */
  readonly maxEventBytes: number;
  /** Whether events are queued for the stream of automation events. */
  readonly hasAutomationEvents: boolean;
  /** The epoch that each event contains. */
  readonly epoch: string;
}

/**
 * Returns the database writes of a draft, in order.
 *
 * @param store the store's document as read in the transaction; its `lastSerial` includes all reserved serial numbers
 * @throws EventTooLarge if an event is larger than `maxEventBytes`
 */
export function writesOf(
  collections: Collections,
  draft: StoreDraft,
  store: StoreDocument,
  options: DraftWriteOptions,
): Write[] {
  const { certificates, outbox, history } = collections;
  const encoded = encodeEvents(draft, options);
  const sent = encoded.flatMap(({ listener, document }) => (listener === undefined ? [document] : []));
  const events = encoded.slice(0, draft.events.length).map(({ document }) => document);
  const listened = encoded.filter(({ listener }, index) =>
    index < draft.events.length ? isListenedTo(store) : listener !== undefined,
  );
  return [
    ...insertsInto(certificates, draft.inserted.map(documentOf)),
    ...Array.from(draft.updated.values(), documentOf).map(
      (replacement): Write => ({
        name: "replaceOne",
        namespace: certificates.namespace,
        filter: { _id: replacement._id, store: replacement.store },
        replacement,
      }),
    ),
    ...insertsInto(outbox, sent),
    ...resentWrites(collections, draft),
    ...listenWrites(collections, store, listened),
    ...automationWrites(collections, events, store, options),
    ...insertsInto(
      history,
      draft.events.map(({ id, type, certificate, origin }) => ({
        _id: id,
        store: store._id,
        certificate: certificate.id,
        type,
        at: certificate.updatedAt,
        ...origin,
      })),
    ),
    ...insertsInto(
      history,
      draft.quietHistory.map(({ id, change, certificate, origin }) => ({
        _id: id,
        store: store._id,
        certificate: certificate.id,
        type: EventType.UNSPECIFIED,
        change,
        at: certificate.updatedAt,
        ...origin,
      })),
    ),
    ...secondaryWrites(collections, draft, store),
    ...dueWrites(collections, store._id, draft.ordersToCompare, draft.now),
  ];
}

/** Returns the writes that record with the deliveries of events that they are sent again; see reopen-resent.ts. */
function resentWrites({ deliveries }: Collections, { store, messages }: StoreDraft): Write[] {
  return messages.flatMap(({ id, resends }): Write[] =>
    resends === undefined
      ? []
      : [
          {
            name: "updateOne",
            namespace: deliveries.namespace,
            filter: { _id: resends, store: store.id },
            update: { $set: { resent: true, resentAs: id } },
          },
        ],
  );
}

/** Returns the writes that queue events (not manual sends) for the stream of automation events and for triggers. */
function automationWrites(
  { automationOutbox, triggerDeliveries }: Collections,
  events: readonly OutboxDocument[],
  { _id: store, triggers = [], clockReadAt }: StoreDocument,
  { hasAutomationEvents }: DraftWriteOptions,
): Write[] {
  const published = (hasAutomationEvents ? events : []).map(({ _id, at, storedAt, type, event }) => {
    return { _id, store, at, storedAt, name: eventName(type), event };
  });
  // No event of a certificate precedes its issue. A claim finds out whether another event is its certificate's oldest.
  const dueAtOf = (type: EventType) => (type === EventType.ISSUED ? clockReadAt : undefined);
  const queued = events.flatMap(({ _id: eventId, certificate, type, at, event }) =>
    triggers
      .filter((trigger) => selects(trigger, type))
      .map(({ id: trigger }) => newEntry({ eventId, store, trigger, certificate, type, at, event }, dueAtOf(type))),
  );
  return [...insertsInto(automationOutbox, published), ...insertsInto(triggerDeliveries, queued)];
}

function secondaryWrites(
  { products, editionSeries, reports, requests, stores }: Collections,
  draft: StoreDraft,
  { _id: store, lastSerial, erasures = 0 }: StoreDocument,
): Write[] {
  const writes: Write[] = Array.from(draft.editionsIssued, ([product, editionIssued]) => ({
    name: "updateOne",
    namespace: products.namespace,
    filter: { _id: { store, product } },
    update: { $set: { editionIssued } },
  }));
  writes.push(
    ...Array.from(
      draft.seriesIssued,
      ([series, issued]): Write => ({
        name: "updateOne",
        namespace: editionSeries.namespace,
        filter: { _id: compoundKey(store, series) },
        update: { $set: { issued } },
        upsert: true,
      }),
    ),
    ...insertsInto(
      reports,
      draft.reports.map(({ id, certificateId, reportedAt, kind, content, reporterEmail }) => ({
        _id: id,
        store,
        certificate: certificateId,
        at: reportedAt,
        storedAt: draft.now,
        kind,
        content,
        reporterEmail,
      })),
    ),
    ...Array.from(draft.answers, ([key, answer]): Write => {
      const document = { _id: compoundKey(store, key), ...answer, at: draft.now };
      const { namespace } = requests;
      return draft.hasStoredAnswer(key)
        ? { name: "replaceOne", namespace, filter: { _id: document._id }, replacement: document }
        : { name: "insertOne", namespace, document };
    }),
  );
  // Sets the counter to the last number assigned: numbers that were reserved but not assigned would leave gaps.
  if (draft.lastSerial !== lastSerial)
    writes.push({
      name: "updateOne",
      namespace: stores.namespace,
      filter: { _id: store },
      update: { $set: { lastSerial: draft.lastSerial } },
    });
  if (draft.erasures !== erasures)
    writes.push({
      name: "updateOne",
      namespace: stores.namespace,
      filter: { _id: store },
      update: { $set: { erasures: draft.erasures } },
    });
  return writes;
}

function insertsInto<D extends AnyDocument>(collection: Collection<D>, documents: readonly D[]): Write[] {
  return documents.map((document) => ({ name: "insertOne", namespace: collection.namespace, document }));
}
