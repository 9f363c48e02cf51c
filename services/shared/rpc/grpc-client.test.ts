import { expect, test } from "vitest";
import { singleBucket } from "../limits/token-bucket.ts";
import { resetPolicy } from "./grpc-client.ts";

const countTaken = (mayReset: () => boolean, attempts: number) =>
  Array.from({ length: attempts }, () => mayReset()).filter(Boolean).length;

test("a client may cancel a burst of 500 calls and then 25 a second", () => {
  let nowMs = 1_000;
  const mayReset = singleBucket(resetPolicy, { now: () => nowMs });
  expect(countTaken(mayReset, 2_000)).toBe(500);
  nowMs += 1_000;
  expect(countTaken(mayReset, 2_000)).toBe(25);
  nowMs += 3_600_000;
  expect(countTaken(mayReset, 2_000)).toBe(500);
});
