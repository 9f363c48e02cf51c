import { steadyClock } from "#shared/time/clock.ts";
import { MongoOutbox } from "../../services/registry/mongo/mongo-outbox.ts";
import type { OutboxMarkDeps } from "../../services/registry/mongo/outbox-mark.ts";
import { snapshotReader } from "../../services/registry/mongo/read-snapshot.ts";
import type { TestDatabase } from "./test-database.ts";

/** Opens a replica's view of the outbox. @param deps replace the real dependencies */
export function openTestOutbox(
  { client, collections }: Pick<TestDatabase, "client" | "collections">,
  deps: Partial<OutboxMarkDeps> = {},
): MongoOutbox {
  const readSnapshot = snapshotReader(client, steadyClock);
  return new MongoOutbox({ collections, readSnapshot, transactionLifetimeSeconds: 15, ...deps });
}
