import type { Collection } from "mongodb";
import type { StoreDraft } from "../certificates/store-draft.ts";
import { answerKey } from "./answer-key.ts";
import type { Collections } from "./collections.ts";
import { documentOf } from "./convert-documents.ts";
import type { StoreDocument } from "./documents.ts";
import { seriesKey } from "./edition-series.ts";
import { encodeEvents } from "./encode-events.ts";
import type { AnyDocument, Write } from "./write-documents.ts";

/**
 * Returns the database writes of a draft, in order.
 *
 * @param store the store's document as read in the transaction; its `lastSerial` includes all reserved serial numbers
 * @param maxEventBytes maximum size of an event
 * @throws EventTooLarge if an event would be larger
 */
export function writesOf(
  collections: Collections,
  draft: StoreDraft,
  store: StoreDocument,
  maxEventBytes: number,
): Write[] {
  const { certificates, outbox, history } = collections;
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
    ...insertsInto(outbox, encodeEvents(draft, maxEventBytes)),
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
    ...secondaryWrites(collections, draft, store),
  ];
}

function secondaryWrites(
  { products, editionSeries, reports, requests, stores }: Collections,
  draft: StoreDraft,
  { _id: store, lastSerial }: StoreDocument,
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
        filter: { _id: seriesKey(store, series) },
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
        kind,
        content,
        reporterEmail,
      })),
    ),
    ...Array.from(draft.answers, ([key, answer]): Write => {
      const document = { _id: answerKey(store, key), ...answer, at: draft.now };
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
  return writes;
}

function insertsInto<D extends AnyDocument>(collection: Collection<D>, documents: readonly D[]): Write[] {
  return documents.map((document) => ({ name: "insertOne", namespace: collection.namespace, document }));
}
