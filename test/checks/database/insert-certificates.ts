import { systemClock } from "#shared/time/clock.ts";
import type { CertificateDocument } from "../../../services/registry/mongo/documents.ts";
import { newId } from "../../../services/registry/values/identifiers.ts";
import { planValues } from "../../harness/query-plans.ts";
import type { DatabaseRig } from "./rig.ts";
import { issueSamples } from "./sample-certificate.ts";

const batchSize = 2_000;
const dayMs = 86_400_000;

/**
 * Fills a store: a tenth of the certificates are revoked, a tenth have expired, and each of 20 buyers and 40 orders has
 * an equal share. The documents are copies of a document that the registry wrote, with different values.
 *
 * @returns the store's id
 */
export async function insertCertificates(rig: DatabaseRig): Promise<string> {
  const { collections, options, signal, log } = rig;
  const store = await rig.createStore();
  await issueSamples(rig, store, 1);
  const model = await collections.certificates.findOne({ store });
  if (model === null) throw new Error("the issued certificate is not stored");
  const startMs = systemClock.now() - options.documents - dayMs;
  for (let from = 2; from <= options.documents; from += batchSize) {
    signal.throwIfAborted();
    const count = Math.min(batchSize, options.documents - from + 1);
    const documents = Array.from({ length: count }, (_, index) => variant(model, from + index, startMs));
    await collections.certificates.insertMany(documents, { ordered: false });
    if (((from - 2) / batchSize) % 10 === 9) log(`        ${from + count - 1} of ${options.documents} certificates`);
  }
  return store;
}

function variant(model: CertificateDocument, serial: number, startMs: number): CertificateDocument {
  const { issueKey: _, ...fields } = model;
  const updatedAt = new Date(startMs + serial);
  const { email, orderId } = planValues(serial);
  return {
    ...fields,
    ...{ _id: newId("crt"), serial, updatedAt, issuedAt: updatedAt },
    owner: { name: "Ada Example", email },
    ownerEmailKey: email,
    order: { id: orderId, name: `#${orderId}` },
    ...(serial % 10 === 1 && { status: "revoked", revokedAt: updatedAt, revokedReason: "Refund" }),
    ...(serial % 10 === 2 && { status: "expired", expiresAt: updatedAt }),
  };
}
