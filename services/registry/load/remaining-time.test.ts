import { expect, test } from "vitest";
import { remainingMs } from "./remaining-time.ts";

const clock = { now: () => 1_000 };
const { signal } = new AbortController();

test("returns whole milliseconds until the deadline", () => {
  expect(remainingMs({ deadline: 1_250.9, signal }, clock)).toBe(250);
  expect(remainingMs({ deadline: Number.POSITIVE_INFINITY, signal }, clock)).toBe(Number.POSITIVE_INFINITY);
});

test("throws when the deadline has passed or the caller has left", () => {
  expect(() => remainingMs({ deadline: 1_000.5, signal }, clock)).toThrow(
    expect.objectContaining({ reason: "deadline" }),
  );
  const left = AbortSignal.abort();
  expect(() => remainingMs({ deadline: 9_000, signal: left }, clock)).toThrow(
    expect.objectContaining({ reason: "caller_left", code: "unavailable" }),
  );
});
