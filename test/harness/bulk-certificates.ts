import type { Certificate } from "../../services/registry/certificates/certificate.ts";
import type { Collections } from "../../services/registry/mongo/documents/collections.ts";
import { certificateOf, documentOf } from "../../services/registry/mongo/documents/convert-documents.ts";
import { newId, newLinkToken } from "../../services/registry/values/identifiers.ts";
import { planValues } from "./query-plans.ts";

interface BulkOptions {
  /** Number of certificates that the store has afterwards. */
  readonly count: number;
  readonly signal: AbortSignal;
  /** Receives the number of certificates that the store has so far, after every tenth batch. */
  readonly onProgress: (inserted: number) => void;
}

const batchSize = 2_000;
const dayMs = 86_400_000;

/**
 * Inserts variants ({@link variantOf}) of a store's only certificate in the registry's document format, but without
 * events or histories. The times of the variants are at least a day before the last change to that certificate, and
 * increase with the serial number.
 *
 * @throws Error when the store does not have a certificate yet
 */
export async function insertVariants(
  { certificates, stores }: Pick<Collections, "certificates" | "stores">,
  store: string,
  { count, signal, onProgress }: BulkOptions,
): Promise<void> {
  const document = await certificates.findOne({ store });
  if (document === null) throw new Error(`store ${store} has no certificate to copy`);
  const model = certificateOf(document);
  const startMs = model.updatedAt.getTime() - count - dayMs;
  for (let from = 2; from <= count; from += batchSize) {
    signal.throwIfAborted();
    const serials = Array.from({ length: Math.min(batchSize, count - from + 1) }, (_, index) => from + index);
    const documents = serials.map((serial) => documentOf(variantOf(model, serial, startMs)));
    await certificates.insertMany(documents, { ordered: false });
    if (((from - 2) / batchSize) % 10 === 9) onProgress(from + serials.length - 1);
  }
  await stores.updateOne({ _id: store }, { $set: { lastSerial: count } });
}

/**
 * Returns a copy of a certificate with its own id, link token, serial number, times, owner and order. Of the copies, a
 * tenth are revoked, a tenth have expired, and each of 20 buyers and 40 orders has an equal share.
 */
function variantOf(model: Certificate, serial: number, startMs: number): Certificate {
  const updatedAt = new Date(startMs + serial);
  const { email, orderId } = planValues(serial);
  return {
    ...model,
    id: newId("crt"),
    linkToken: newLinkToken(),
    serial,
    updatedAt,
    issuedAt: updatedAt,
    issueKey: null,
    owner: { name: "Ada Example", email },
    order: { id: orderId, name: `#${orderId}` },
    ...(serial % 10 === 1 && { status: "revoked", revokedAt: updatedAt, revokedReason: "Refund" }),
    ...(serial % 10 === 2 && { status: "expired", expiresAt: updatedAt }),
  };
}
