import type { AnyBulkWriteOperation, ClientSession } from "mongodb";
import type { Collections } from "../documents/collections.ts";
import type { TriggerDeliveryDocument } from "../documents/trigger-documents.ts";
import { type DatabaseTime, toDate } from "../driver/database-time.ts";
import { dueAtOnce } from "./trigger-schedule.ts";

/**
 * Makes the oldest waiting events of the given triggers and certificates their heads, in the transaction that has
 * settled the earlier heads. The new heads are fresh: the next claim makes their triggers due.
 */
export async function promoteNext(
  entries: Collections["triggerDeliveries"],
  settled: readonly Pick<TriggerDeliveryDocument, "trigger" | "certificate">[],
  databaseTime: DatabaseTime,
  session: ClientSession,
): Promise<void> {
  const promoting: AnyBulkWriteOperation<TriggerDeliveryDocument>[] = [];
  for (const { trigger, certificate } of settled) {
    const [next, later] = await entries
      .find({ state: "waiting", trigger, certificate }, { session, projection: { _id: 1 } })
      .sort({ at: 1 })
      .limit(2)
      .toArray();
    if (next === undefined) continue;
    const head = { dueAt: toDate(dueAtOnce(databaseTime)), fresh: true, ...(later !== undefined && { followers: 1 }) };
    promoting.push({ updateOne: { filter: { _id: next._id }, update: [{ $set: head }] } });
  }
  if (promoting.length > 0) await entries.bulkWrite(promoting, { session });
}
