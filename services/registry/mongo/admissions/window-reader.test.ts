import { Binary } from "mongodb";
import { expect, onTestFinished, test } from "vitest";
import type { Collections } from "../documents/collections.ts";
import { WindowReader } from "./window-reader.ts";

const hash = new Binary(Buffer.alloc(32));
const policy = { limit: 120, windowMs: 60_000 };

/** Creates a reader whose reads end only after the test. */
function readerOfHangingReads() {
  const limits: unknown[] = [];
  const { promise: testEnd, resolve: end } = Promise.withResolvers<unknown[]>();
  onTestFinished(() => end([]));
  const aggregate = (_pipeline: unknown, { maxTimeMS }: { maxTimeMS: number }) => {
    limits.push(maxTimeMS);
    return { toArray: () => testEnd };
  };
  const access = { aggregate } as unknown as Collections["access"];
  return { reader: new WindowReader(access, policy, () => "$$NOW"), limits };
}

/** Creates a function that returns `leftMs`, but throws from call number `call` on; the first call is number 1. */
const throwsFrom = (call: number, leftMs: number) => {
  let calls = 0;
  return () => {
    if (++calls >= call) throw new Error("no time left");
    return leftMs;
  };
};

test("ends the wait of a caller whose time is used up, even if others are still waiting for the read", async () => {
  const { reader, limits } = readerOfHangingReads();
  void reader.read(hash, () => 3_000);
  await expect(reader.read(hash, throwsFrom(3, 5))).rejects.toThrow("no time left");
  expect(limits).toEqual([3_000]);
});

test("starts no read for callers without time left", async () => {
  const { reader, limits } = readerOfHangingReads();
  await expect(reader.read(hash, throwsFrom(2, 1_000))).rejects.toThrow("no time left");
  expect(limits).toEqual([]);
});

test("a read without a reply ends shortly after its time limit, so that other keys do not wait for it", async () => {
  const { reader, limits } = readerOfHangingReads();
  await expect(reader.read(hash, () => 20)).rejects.toThrow("does not respond");
  void reader.read(hash, () => 30).catch(() => undefined);
  await expect.poll(() => limits).toEqual([20, 30]);
});
