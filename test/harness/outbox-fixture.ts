import { Binary } from "mongodb";
import { partitionOf } from "#shared/nats/event-stream.ts";
import type { OutboxDocument } from "../../services/registry/mongo/documents/documents.ts";
import { snapshotReader } from "../../services/registry/mongo/driver/read-snapshot.ts";
import { MongoOutbox } from "../../services/registry/mongo/outbox/mongo-outbox.ts";
import type { OutboxMarkDeps } from "../../services/registry/mongo/outbox/outbox-mark.ts";
import type { TestDatabase } from "./test-database.ts";

/** Creates the MongoOutbox of one replica. @param deps replaces default dependencies */
export function openTestOutbox(
  { client, collections }: Pick<TestDatabase, "client" | "collections">,
  deps: Partial<OutboxMarkDeps> = {},
): MongoOutbox {
  const readSnapshot = snapshotReader(client);
  return new MongoOutbox({ collections, readSnapshot, transactionLifetimeSeconds: 15, ...deps });
}

/** Returns an outbox document with an empty event. @param at the time by the store's clock and by the database's */
export function outboxDocument(id: string, store: string, at: Date): OutboxDocument {
  const ids = { _id: id, store, partition: partitionOf(store), certificate: "crt_1" };
  return { ...ids, at, storedAt: at, type: 1, event: new Binary() };
}
