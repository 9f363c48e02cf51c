import { BSON } from "mongodb";
import { expect, test } from "vitest";
import type { Collections } from "../documents/collections.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";
import { MongoFeed } from "./mongo-feed.ts";

const snapshot = { readConcern: { level: "snapshot" } } as const;

test("limits each database operation to the time that is left when it starts", async () => {
  const row = {
    _id: "crt_1",
    linkToken: "token",
    status: "expired",
    edition: null,
    expiresAt: null,
    updatedAt: new Date(0),
    json: [1, new Date(0), "{", ",", ","],
  };
  const limits: [operation: string, maxTimeMS: unknown][] = [];
  const cursor = { map: () => cursor, limit: () => cursor, toArray: async () => [row] };
  const certificates = {
    // Finds the certificates whose stored status differs from the current one, in each direction.
    find: (_filter: unknown, { maxTimeMS }: { maxTimeMS?: number }) => {
      limits.push(["find expired", maxTimeMS]);
      return cursor;
    },
    db: {
      command: async ({ maxTimeMS }: { maxTimeMS?: number }) => {
        limits.push(["find page", maxTimeMS]);
        return { cursor: BSON.serialize({ firstBatch: [row] }) };
      },
    },
    bulkWrite: async (_updates: unknown, { maxTimeMS }: { maxTimeMS?: number }) => {
      limits.push(["bulkWrite", maxTimeMS]);
      return { matchedCount: 1 };
    },
  };
  const collections = { certificates } as unknown as Collections;
  // Reads twice, as after a transient error.
  const feed = new MongoFeed(collections, async (read) => {
    await read(snapshot);
    return read(snapshot);
  });
  let leftMs = 7_000;
  const remainingMs = () => (leftMs -= 1_000);
  await feed.readRows("sto_1", { filter: { status: "expired" }, countMax: 1, now: new Date(0), remainingMs });
  expect(limits).toEqual([
    ["find expired", operationTimeLimitMs],
    ["bulkWrite", operationTimeLimitMs],
    ["find expired", operationTimeLimitMs],
    ["bulkWrite", 3_000],
    ["find page", 2_000],
    ["find page", 1_000],
  ]);
});
