import { BSON } from "mongodb";
import { expect, test } from "vitest";
import type { Collections } from "./collections.ts";
import { MongoFeed } from "./mongo-feed.ts";
import { operationTimeLimitMs } from "./time-limits.ts";

const snapshot = { readConcern: { level: "snapshot" } } as const;

test("limits each database operation to the time that is left when it starts", async () => {
  const row = BSON.serialize({
    ...{ _id: "crt_1", status: "expired", edition: null, expiresAt: null, updatedAt: new Date(0) },
    json: ["{", ",", ","],
  });
  const limits: [operation: string, maxTimeMS: unknown][] = [];
  const cursor = {
    limit: () => cursor,
    sort: () => cursor,
    map: () => cursor,
    toArray: async () => [row],
  };
  const certificates = {
    find: (_filter: unknown, { maxTimeMS }: { maxTimeMS?: number }) => {
      limits.push(["find", maxTimeMS]);
      return cursor;
    },
    updateMany: async (_filter: unknown, _update: unknown, { maxTimeMS }: { maxTimeMS?: number }) => {
      limits.push(["updateMany", maxTimeMS]);
    },
  };
  const collections = { certificates } as unknown as Collections;
  // Reads twice, as after a transient error.
  const feed = new MongoFeed(collections, async (read) => {
    await read(snapshot);
    return read(snapshot);
  });
  let leftMs = 5_000;
  const remainingMs = () => (leftMs -= 1_000);
  await feed.readRows("sto_1", { filter: { status: "expired" }, countMax: 1, now: new Date(0), remainingMs });
  expect(limits).toEqual([
    ["find", operationTimeLimitMs],
    ["updateMany", 3_000],
    ["find", 2_000],
    ["find", 1_000],
  ]);
});
