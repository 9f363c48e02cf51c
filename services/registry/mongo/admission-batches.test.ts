import { Binary } from "mongodb";
import { expect, test } from "vitest";
import { AdmissionBatches } from "./admission-batches.ts";
import type { RequestGroup } from "./admission-pipelines.ts";
import type { Collections } from "./collections.ts";

const at = new Date("2026-11-22T12:00:30.000Z");
const groupOf = (byte: number): RequestGroup => ({
  hash: new Binary(new Uint8Array(32).fill(byte)),
  ids: [new Binary(new Uint8Array(16).fill(byte))],
});

/** Starts batches over a collection that records its operations. The test sets how long a group alone takes. */
function startBatches() {
  const operations: string[] = [];
  const time = { nowMs: 0, aloneMs: 1 };
  const nameOf = (hash: Binary) => String(hash.buffer[0]);
  const documentOf = (hash: Binary) => ({
    ...{ _id: `sto_${nameOf(hash)}`, plan: "pro", keys: [{ hash }], count: 1, oldest: at },
    decision: { id: groupOf(hash.buffer[0] ?? 0).ids[0], at, keyIsValid: true, admittedCount: 1 },
  });
  const access = {
    findOneAndUpdate: async ({ "keys.hash": hash }: { "keys.hash": Binary }) => {
      operations.push(`alone ${nameOf(hash)}`);
      time.nowMs += time.aloneMs;
      return documentOf(hash);
    },
    updateMany: async ({ "keys.hash": { $in } }: { "keys.hash": { $in: Binary[] } }) =>
      void operations.push(`together ${$in.map(nameOf)}`),
    find: ({ "keys.hash": { $in } }: { "keys.hash": { $in: Binary[] } }) => ({
      toArray: async () => $in.map(documentOf),
    }),
  } as unknown as Collections["access"];
  const clock = {
    now: () => time.nowMs,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve())),
  };
  const batches = new AdmissionBatches(access, { limit: 120, windowMs: 60_000 }, () => "$$NOW", clock);
  const decide = (...bytes: number[]) => Promise.all(bytes.map((byte) => batches.decide(groupOf(byte), 4_000)));
  return { operations, time, decide };
}

test("decides on a group alone by one command, and on several groups together", async () => {
  const { operations, decide } = startBatches();
  expect(await decide(1)).toMatchObject([[{ isAdmitted: true }]]);
  expect(await decide(2, 3)).toMatchObject([[{ _id: "sto_2" }], [{ _id: "sto_3" }]]);
  expect(operations).toEqual(["alone 1", "together 2,3"]);
});

test("decides alone for a while on a key whose last decision was slow, so that it holds up no other", async () => {
  const { operations, time, decide } = startBatches();
  time.aloneMs = 300;
  await decide(1);
  time.aloneMs = 1;
  await decide(1, 2, 3);
  expect(operations.splice(0)).toEqual(["alone 1", "alone 1", "together 2,3"]);
});
