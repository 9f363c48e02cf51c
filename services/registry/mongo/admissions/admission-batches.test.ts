import { Binary, MongoError } from "mongodb";
import { expect, test } from "vitest";
import type { Collections } from "../documents/collections.ts";
import { AdmissionBatches } from "./admission-batches.ts";
import type { RequestGroup } from "./admission-pipelines.ts";

const at = new Date("2026-11-22T12:00:30.000Z");
const groupOf = (byte: number): RequestGroup => ({
  hash: new Binary(new Uint8Array(32).fill(byte)),
  ids: [new Binary(new Uint8Array(16).fill(byte))],
});

/**
 * Creates AdmissionBatches with a fake collection that records its operations. The test sets how long the update of a
 * single group (`aloneMs`) and the update of a batch (`batchMs`) take.
 */
function startBatches() {
  const operations: string[] = [];
  const time = { nowMs: 0, aloneMs: 1, batchMs: 1 };
  const nameOf = (hash: Binary) => String(hash.buffer[0]);
  const documentOf = (hash: Binary) => ({
    _id: `sto_${nameOf(hash)}`,
    plan: "pro",
    keys: [{ hash }],
    count: 1,
    oldest: at,
    decision: {
      at,
      group: { id: groupOf(hash.buffer[0] ?? 0).ids[0], keyIsValid: true, plan: "pro", admitted: [true] },
    },
  });
  const access = {
    findOneAndUpdate: async ({ "keys.hash": hash }: { "keys.hash": Binary }) => {
      operations.push(`alone ${nameOf(hash)}`);
      time.nowMs += time.aloneMs;
      return documentOf(hash);
    },
    updateMany: async ({ "keys.hash": { $in } }: { "keys.hash": { $in: Binary[] } }) => {
      operations.push(`together ${$in.map(nameOf)}`);
      time.nowMs += time.batchMs;
      if (time.batchMs > 1_000) throw new MongoError("operation exceeded time limit");
      return { matchedCount: $in.length };
    },
    find: ({ "keys.hash": { $in } }: { "keys.hash": { $in: Binary[] } }) => ({
      toArray: async () => $in.map(documentOf),
    }),
  } as unknown as Collections["access"];
  const clock = {
    now: () => time.nowMs,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve())),
  };
  const batches = new AdmissionBatches(access, { limit: 120, windowMs: 60_000 }, () => "$$NOW", { clock });
  const decide = (...bytes: number[]) => Promise.all(bytes.map((byte) => batches.decide(groupOf(byte), 4_000)));
  return { operations, time, decide };
}

test("decides a single group with one command, and several groups together", async () => {
  const { operations, decide } = startBatches();
  expect(await decide(1)).toMatchObject([[{ isAdmitted: true }]]);
  expect(await decide(2, 3)).toMatchObject([[{ _id: "sto_2" }], [{ _id: "sto_3" }]]);
  expect(operations).toEqual(["alone 1", "together 2,3"]);
});

test("keeps a key out of batches for a while after a slow decision, so that it does not delay other keys", async () => {
  const { operations, time, decide } = startBatches();
  time.aloneMs = 300;
  await decide(1);
  time.aloneMs = 1;
  await decide(1, 2, 3);
  expect(operations.splice(0)).toEqual(["alone 1", "alone 1", "together 2,3"]);
});

test("decides the groups of a failed batch individually, and keeps their keys out of batches for a while", async () => {
  const { operations, time, decide } = startBatches();
  time.batchMs = 1_001;
  await decide(1, 2);
  await decide(1, 2, 3, 4);
  expect(operations).toEqual([
    "together 1,2",
    "alone 1",
    "alone 2",
    "alone 1",
    "alone 2",
    "together 3,4",
    "alone 3",
    "alone 4",
  ]);
});

test("starts no further update for requests whose time ran out during a failed batch", async () => {
  const { operations, time, decide } = startBatches();
  time.batchMs = 4_000;
  await expect(decide(1, 2)).rejects.toMatchObject({ code: "unavailable" });
  expect(operations).toEqual(["together 1,2"]);
});
