import { expect, test } from "vitest";
import { remainingMs, untilDeadline } from "./request-deadline.ts";

const never = new Promise<void>(() => undefined);
const requestFor = (durationMs: number, clientSignal = new AbortController().signal) => ({
  deadline: performance.now() + durationMs,
  clientSignal,
});
const unavailable = expect.objectContaining({ code: "unavailable" });

test("remainingMs returns the time until the deadline in whole milliseconds", () => {
  const remaining = remainingMs(requestFor(60_000));
  expect(remaining).toBeGreaterThan(50_000);
  expect(Number.isInteger(remaining)).toBe(true);
});

test("remainingMs throws unavailable after the deadline or when the client has disconnected", () => {
  expect(() => remainingMs(requestFor(0))).toThrow(unavailable);
  expect(() => remainingMs(requestFor(60_000, AbortSignal.abort()))).toThrow(unavailable);
});

test("untilDeadline awaits a promise; throws unavailable at the deadline or when the client disconnects", async () => {
  await untilDeadline(requestFor(60_000), Promise.resolve());
  await expect(untilDeadline(requestFor(20), never)).rejects.toThrow(unavailable);
  const client = new AbortController();
  const waiting = untilDeadline(requestFor(60_000, client.signal), never);
  client.abort();
  await expect(waiting).rejects.toThrow(unavailable);
});
