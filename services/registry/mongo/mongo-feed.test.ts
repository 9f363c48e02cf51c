import type { ClientSession } from "mongodb";
import { expect, test } from "vitest";
import type { Collections } from "./collections.ts";
import { MongoFeed } from "./mongo-feed.ts";
import { operationTimeLimitMs } from "./time-limits.ts";

test("limits each database operation to the time that is left when it starts", async () => {
  const limits: [operation: string, maxTimeMS: unknown][] = [];
  const cursor = {
    limit: () => cursor,
    sort: () => cursor,
    map: () => cursor,
    toArray: async () => [{ _id: "crt_1" }],
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
  const session = {} as unknown as ClientSession;
  // Reads twice, as after a transient error.
  const feed = new MongoFeed(collections, async (read) => {
    await read(session);
    return read(session);
  });
  let leftMs = 5_000;
  const remainingMs = () => (leftMs -= 1_000);
  await feed.readFeed("sto_1", { filter: { status: "expired" }, countMax: 1, now: new Date(0), remainingMs });
  expect(limits).toEqual([
    ["find", operationTimeLimitMs],
    ["updateMany", 3_000],
    ["find", 2_000],
    ["find", 1_000],
  ]);
});
