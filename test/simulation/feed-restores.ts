import { fromBinary } from "@bufbuild/protobuf";
import { MongoNetworkError } from "mongodb";
import { CertificateEventSchema } from "#gen/events/v1/certificate_event_pb.js";
import { releaseAutomation } from "../../services/registry/mongo/backup/automation-hold.ts";
import { type FinishRestoreOptions, finishRestore } from "../../services/registry/mongo/backup/finish-restore.ts";
import { connectMongo } from "../../services/registry/mongo/opening/connect-mongo.ts";
import type { FeedWorld } from "./feed-world.ts";
import { choicesOf, databaseName } from "./run-in-world.ts";

/** Until then, all commands of the stopped registries have arrived. */
const stoppedMs = 13_000;
const skipSerials = 1_000;
const sendRate = 0.2;
const sendsPending = "pending events are sent";

/** What the focus of a directed history with a restore names. */
export const restoresBackup = `a backup is restored, and ${sendsPending}`;

/** The registries of the history, as an administrator starts and stops them. */
interface Registries {
  readonly start: () => void;
  /** Stops all registries at once. */
  readonly stop: () => void;
}

/**
 * Backs the database up, and restores the backup some seconds later as deploy/operations/restore.md says. What was
 * changed in between is lost; what was acknowledged before the backup is not, and numbers are not assigned again.
 */
export async function restoreBackup(history: FeedWorld, { start, stop }: Registries): Promise<void> {
  const { world, script, server, collections, nats, storeId, uri, acknowledged, problems } = history;
  const { sent, sentBefore, keptByStream, pendingAtRestore } = history;
  const random = choicesOf(history, "restore");
  await world.delay(4_000 + random.below(6_000));
  const expected = new Map(acknowledged);
  const backup = server.backUp(databaseName);
  script.note(world.now(), "the database is backed up");
  await world.delay(2_000 + random.below(6_000));
  // Seldom "send", because the history then lasts until the stream no longer drops copies.
  const pending = script.has(sendsPending, random.chance(sendRate)) ? "send" : "interrupt";
  if (!script.happens("restore", world.now(), `the backup is restored (pending events: ${pending})`)) return;
  history.isRestoring = true;
  while (history.changing > 0) await world.delay(100);
  history.isStopped = true;
  stop();
  await world.delay(stoppedMs);
  const lost = new Set((await collections.certificates.find().toArray()).map(({ serial }) => serial));
  server.restore(databaseName, backup);
  await finish(uri, { pending, skipSerials });
  history.isRestored = true;
  const stored = await collections.certificates.find().toArray();
  const ids = new Set(stored.map(({ _id }) => _id));
  for (const id of expected.keys()) if (!ids.has(id)) problems.push(`${id} was acknowledged, but is not in the backup`);
  acknowledged.clear();
  for (const { _id, owner, serial } of stored) {
    acknowledged.set(_id, owner.email);
    lost.delete(serial);
  }
  history.lostSerials = lost;
  history.issuedCount = stored.length;
  // With "send", events may be sent a second time, as the administrator has chosen.
  if (pending === "send") {
    const idOf = (event: Buffer) => fromBinary(CertificateEventSchema, event).id;
    for (const event of nats.jetStream.messagesOf(`certificates.*.${storeId}.>`)) keptByStream.add(idOf(event));
    nats.jetStream.onGone = (event) => keptByStream.delete(idOf(event));
    for (const { _id } of await collections.outbox.find().toArray()) pendingAtRestore.add(_id);
  } else for (const { eventId } of Array.from(sent.values()).flat()) sentBefore.add(eventId);
  sent.clear();
  start();
  await releaseAutomation(collections.restores);
  history.isStopped = false;
  history.isRestoring = false;
  script.note(world.now(), "the restore is finished");
}

/** Prepares the restored database for the registries, as an administrator does: again if a connection is lost. */
async function finish(uri: string, options: FinishRestoreOptions): Promise<number> {
  for (;;) {
    try {
      await using client = await connectMongo(uri);
      return await finishRestore(client, options);
    } catch (error) {
      if (!(error instanceof MongoNetworkError)) throw error;
    }
  }
}
