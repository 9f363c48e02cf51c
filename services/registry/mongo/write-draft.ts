import type { ClientSession } from "mongodb";
import type { StoreDraft } from "../certificates/store-draft.ts";
import { documentOf } from "./certificate-documents.ts";
import type { Collections } from "./collections.ts";
import { isDuplicateKey } from "./database-error.ts";
import type { StoreDocument } from "./documents.ts";
import { encodeEvents } from "./encode-events.ts";
import { requestKey } from "./request-key.ts";
import { RetryTransaction } from "./retry-transaction.ts";
import { insertDocuments } from "./write-documents.ts";

/**
 * Writes a draft in its transaction; kinds that it does not hold cost nothing.
 *
 * @param store the document as the transaction has it, with all the serial numbers taken that were asked for
 */
export async function writeDraft(
  collections: Collections,
  draft: StoreDraft,
  store: StoreDocument,
  session: ClientSession,
): Promise<void> {
  await writeCertificates(collections, draft, session);
  await insertDocuments(collections.outbox, encodeEvents(draft), session);
  await writeHistory(collections, draft, store._id, session);
  await writeBesides(collections, draft, store._id, session);
  if (draft.lastSerial !== store.lastSerial) {
    // Fewer were issued than asked for; no number is left out.
    const lastSerial = { $set: { lastSerial: draft.lastSerial } };
    await collections.stores.updateOne({ _id: store._id }, lastSerial, { session });
  }
}

async function writeHistory(
  { history }: Collections,
  draft: StoreDraft,
  store: string,
  session: ClientSession,
): Promise<void> {
  const documents = draft.events.map(({ id, type, certificate, origin }) => ({
    _id: id,
    store,
    certificate: certificate.id,
    type,
    at: certificate.updatedAt,
    ...origin,
  }));
  await insertDocuments(history, documents, session);
}

async function writeCertificates(
  { certificates }: Collections,
  draft: StoreDraft,
  session: ClientSession,
): Promise<void> {
  try {
    await insertDocuments(certificates, draft.inserted.map(documentOf), session);
  } catch (error) {
    // Another replica issued the same unit between our snapshot and now: look again.
    if (isDuplicateKey(error)) throw new RetryTransaction(0);
    throw error;
  }
  const replacements = Array.from(draft.updated.values(), documentOf).map((replacement) => ({
    filter: { _id: replacement._id, store: replacement.store },
    replacement,
  }));
  const [first] = replacements;
  if (first === undefined) return;
  if (replacements.length === 1) await certificates.replaceOne(first.filter, first.replacement, { session });
  else
    await certificates.bulkWrite(
      replacements.map((replaceOne) => ({ replaceOne })),
      { session },
    );
}

async function writeBesides(
  { products, reports, requests }: Collections,
  draft: StoreDraft,
  store: string,
  session: ClientSession,
): Promise<void> {
  if (draft.editionsIssued.size > 0) {
    const updates = [...draft.editionsIssued].map(([product, editionIssued]) => ({
      updateOne: { filter: { _id: { store, product } }, update: { $set: { editionIssued } } },
    }));
    await products.bulkWrite(updates, { session });
  }
  if (draft.reports.length > 0) {
    const documents = draft.reports.map(({ id, certificateId, reportedAt, content, reporterEmail }) => ({
      _id: id,
      store,
      certificate: certificateId,
      at: reportedAt,
      content,
      reporterEmail,
    }));
    await reports.insertMany(documents, { session });
  }
  if (draft.answers.size > 0) {
    const documents = [...draft.answers].map(([request, answer]) => ({
      _id: requestKey(store, request),
      ...answer,
      at: draft.now,
    }));
    await requests.insertMany(documents, { session });
  }
}
