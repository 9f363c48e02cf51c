import type { ClientSession } from "mongodb";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { advanceClock, timestampsUpTo } from "../../../services/registry/mongo/certificates/store-clock.ts";
import { compoundKey } from "../../../services/registry/mongo/documents/compound-key.ts";
import { documentOf } from "../../../services/registry/mongo/documents/convert-documents.ts";
import type { CertificateDocument } from "../../../services/registry/mongo/documents/documents.ts";
import { dueUpdate, wakeUpdate } from "../../../services/registry/mongo/due-work/due-orders.ts";
import { newId, newLinkToken } from "../../../services/registry/values/identifiers.ts";
import { timeInThePast } from "./baseline-time.ts";
import { eventDocuments } from "./event.ts";
import type { BaselineDatabase } from "./open-baseline.ts";

type Database = Pick<BaselineDatabase, "collections">;

/**
 * Sends the commands of the registry's transaction for an import batch, in the same order: advance the clock, search
 * for order units that are already issued, search for all certificates of the orders, insert the certificates, the
 * outbox entries and the history entries, and make the storefront's orders due. Does not wait until the
 * assigned times have passed.
 */
export async function runImport(
  { collections }: Database,
  store: string,
  count: number,
  session: ClientSession,
): Promise<void> {
  const demand = { timestamps: count, serials: count };
  const { clock, lastSerial } = await advanceClock(collections.stores, store, demand, timeInThePast, session);
  const certificates = certificatesOf(store, timestampsUpTo(clock, count), lastSerial - count + 1);
  const issueKeys = certificates.map(({ issueKey }) => issueKey ?? "");
  await collections.certificates.find({ store, issueKey: { $in: issueKeys } }, { session }).toArray();
  const orderIds = certificates.map(({ order }) => order?.id ?? "");
  await collections.certificates.find({ store, "order.id": { $in: orderIds } }, { session }).toArray();
  await insertAll({ collections }, certificates, session);
  const orders = orderIds.map((id) => compoundKey(store, id));
  await collections.storefrontOrders.updateMany({ _id: { $in: orders } }, dueUpdate(clock), { session });
  await collections.storefronts.updateOne({ _id: store }, wakeUpdate(clock), { session });
}

/**
 * Inserts the documents of {@link runImport} without a transaction.
 *
 * @param firstSerial first of `count` unused serials
 */
export async function insertWithoutTransaction(
  database: Database,
  store: string,
  count: number,
  firstSerial: number,
): Promise<void> {
  // Times only need to be unique in the store.
  const times = timestampsUpTo(new Date(firstSerial + count), count);
  await insertAll(database, certificatesOf(store, times, firstSerial), undefined);
}

async function insertAll(
  { collections }: Database,
  certificates: readonly CertificateDocument[],
  session: ClientSession | undefined,
): Promise<void> {
  const options = session === undefined ? {} : { session };
  const events = certificates.map(({ _id, store, updatedAt }) =>
    eventDocuments({ store, certificate: _id, at: updatedAt }, EventType.ISSUED),
  );
  await collections.certificates.insertMany([...certificates], options);
  const [outbox, history] = [events.map((event) => event.outbox), events.map((event) => event.history)];
  await collections.outbox.insertMany(outbox, options);
  await collections.history.insertMany(history, options);
}

/** Builds one certificate per time, with the same fields as an imported certificate. */
function certificatesOf(store: string, times: readonly Date[], firstSerial: number): CertificateDocument[] {
  return times.map((time, index) => {
    const buyer = { name: "Ada Example", email: "ada@example.test" };
    const orderId = String(450_789_469 + firstSerial + index);
    return documentOf({
      id: newId("crt"),
      linkToken: newLinkToken(),
      storeId: store,
      serial: firstSerial + index,
      status: "active",
      product: { id: "7001", title: "Alpine Jacket", variant: "M / Blue", sku: "" },
      edition: null,
      order: { id: orderId, name: `#${firstSerial + index}` },
      owner: buyer,
      originalBuyer: buyer,
      issuedAt: time,
      updatedAt: time,
      expiresAt: null,
      revokedAt: null,
      revokedReason: null,
      verifiedAt: null,
      issueKey: `${orderId}/1/1`,
      wasWithdrawn: false,
    });
  });
}
