import type { MongoClient } from "mongodb";
import { steadyClock } from "#shared/time/clock.ts";
import { newEpoch } from "../../values/identifiers.ts";
import { type Collections, collectionsOf } from "../documents/collections.ts";
import { heartbeatIntervalMs } from "../opening/replica-heartbeat.ts";
import { missedMax } from "../opening/replica-watch.ts";
import { everyCollection, isBackedUp } from "./backed-up.ts";
import { interruptEvents } from "./interrupt-events.ts";

/** Options of {@link finishRestore}. */
export interface FinishRestoreOptions {
  /**
   * Whether to send the webhook messages of events from before the restore. `interrupt`: they are not sent, because
   * their claims may have been lost with the database. `send`: they are sent; those already sent after the backup may
   * be sent a second time.
   */
  readonly pending: "interrupt" | "send";
  /** Number of serial numbers that each store skips, so that numbers issued after the backup are not issued again. */
  readonly skipSerials: number;
}

/**
 * Prepares a restored database for the registries: the feed of every store gets a new epoch, so that clients read the
 * list again; every store skips `skipSerials` serial numbers; earlier events in the outbox are settled, or left to be
 * sent; automation events are held until {@link releaseAutomation}; sessions end; and the data about the lost replicas
 * is removed. Works after a restore by any tool. Can be repeated; each run changes the epochs and skips further serial
 * numbers.
 *
 * @returns the number of events removed from the outbox, so that they are not sent; 0 for `send`
 * @throws Error while a registry uses the database
 */
export async function finishRestore(
  client: MongoClient,
  { pending, skipSerials }: FinishRestoreOptions,
): Promise<number> {
  const { access, deliveries, marks, outbox, replicas, restores, stores } = collectionsOf(client.db());
  const requireNoReplica = await watchReplicas(replicas);
  const epoch = newEpoch();
  const { localTime } = await client.db().command({ hello: 1 });
  const at: Date = localTime;
  // First, because this entry stops the sending of earlier events (for `interrupt`) and of automation events, even if
  // the rest fails.
  const [last] = await restores.find().sort({ number: -1 }).limit(1).toArray();
  await restores.insertOne({ _id: epoch, at, number: (last?.number ?? 0) + 1, pending, holdsAutomation: true });
  // A registry that has started meanwhile may have read the restores without this one. It stores a heartbeat before it
  // reads them.
  await requireNoReplica();
  const interruptedCount = pending === "interrupt" ? await interruptEvents({ outbox, deliveries }, at) : 0;
  // Each store gets one of its own, so that a copy that is continued with another store's key is noticed.
  const storeIds = (await access.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);
  const renewals = storeIds.map((_id) => ({
    updateOne: { filter: { _id }, update: { $set: { epoch: newEpoch() } } },
  }));
  if (renewals.length > 0) await access.bulkWrite(renewals, { ordered: false });
  if (skipSerials > 0) await stores.updateMany({}, { $inc: { lastSerial: skipSerials } });
  // A backup that is not from one point in time can contain outbox entries that are older than its mark.
  await marks.deleteMany({});
  // A backup by another tool, or by an earlier version, can contain collections that must not be restored.
  for (const collection of everyCollection(client.db()))
    if (!isBackedUp(collection.collectionName)) await collection.deleteMany({});
  // The listen tokens are among them, so no message needs to be kept for listeners.
  await stores.updateMany({ listenUntil: { $exists: true } }, { $unset: { listenUntil: true } });
  return interruptedCount;
}

/**
 * Observes the heartbeats for as long as a replica observes another one before it takes it for stopped: heartbeats are
 * late while the database is slow. Without a stored heartbeat too: a database that was restored beside a running
 * registry has none until that registry stores its next one.
 *
 * @returns throws the error below if a heartbeat has appeared or advanced since the first observation
 * @throws Error if a heartbeat appears or advances
 */
async function watchReplicas(replicas: Collections["replicas"]): Promise<() => Promise<void>> {
  const beats = async () => new Map((await replicas.find().toArray()).map(({ _id, beat }) => [_id, beat]));
  const before = await beats();
  const requireNoReplica = async () => {
    if ([...(await beats())].some(([replica, beat]) => before.get(replica) !== beat))
      throw new Error(
        "A registry is still using the database. Stop all registries, then run the command again; " +
          "drop the database before you run restore.",
      );
  };
  for (let observed = 0; observed <= missedMax; observed++) {
    await steadyClock.sleep(heartbeatIntervalMs);
    await requireNoReplica();
  }
  return requireNoReplica;
}
