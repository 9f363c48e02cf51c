import { expect, test } from "vitest";
import { clientWith, failWith, pageWith } from "../client-fixture.ts";
import { ConnectionError } from "../errors.ts";
import { systemClock } from "./clock.ts";
import { parseRetryAfter } from "./retry-delay.ts";

const empty = pageWith([]);
const refused = () => Promise.reject(new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") }));

test.each([
  ["a 429", failWith(429, "rate_limited", { "retry-after": "7" }), 7_000],
  ["a 503", failWith(503, "unavailable", { "retry-after": "2" }), 2_000],
  ["Retry-After: 0", failWith(503, "unavailable", { "retry-after": "0" }), 1_000],
  ["a 502 from a proxy", () => new Response("bad gateway", { status: 502 }), 1_000],
  ["a failed connection", refused, 1_000],
])("waits after %s, then retries", async (_, failure, waitMs) => {
  const { client, clock, requests } = clientWith([failure, empty]);
  expect(await client.getPage()).toMatchObject({ certificates: [], nextCursor: null });
  expect(clock.sleeps).toEqual([waitMs]);
  expect(requests).toHaveLength(2);
});

test("without Retry-After, doubles the wait from 1 s up to 10 s, and gives up before the total wait exceeds maxWaitMs", async () => {
  const { client, clock } = clientWith([refused], { maxWaitMs: 40_000 });
  await expect(client.getPage()).rejects.toThrow("the connection failed: https://registry.test");
  expect(clock.sleeps).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
});

test("gives up on a host name that does not exist after three attempts, and says so", async () => {
  const cause = Object.assign(new Error("getaddrinfo ENOTFOUND registry.test"), { code: "ENOTFOUND" });
  const { client, clock } = clientWith([() => Promise.reject(new TypeError("fetch failed", { cause }))]);
  await expect(client.getPage()).rejects.toThrow(
    "the host name does not exist, check the base URL: https://registry.test",
  );
  expect(clock.sleeps).toEqual([1_000, 2_000]);
});

test("throws at once on a 429 whose Retry-After exceeds maxWaitMs, and reports the requested wait", async () => {
  const busy = failWith(429, "rate_limited", { "retry-after": "61" });
  const { client, clock } = clientWith([busy], { maxWaitMs: 60_000 });
  await expect(client.getPage()).rejects.toMatchObject({
    code: "rate_limited",
    retryAfterMs: 61_000,
    isTemporary: true,
  });
  expect(clock.sleeps).toEqual([]);
});

test("aborts an attempt that takes longer than timeoutMs, and throws a ConnectionError", async () => {
  const { client } = clientWith([empty], {
    timeoutMs: 20,
    maxWaitMs: 0,
    fetch: (_, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason))),
  });
  await expect(client.getPage()).rejects.toThrow(ConnectionError);
  await expect(client.getPage()).rejects.toThrow("no complete response within 20 ms: https://registry.test");
});

test("throws the caller's abort reason without sending a request if the signal is already aborted", async () => {
  const { client, requests } = clientWith([failWith(503, "unavailable")]);
  const reason = new Error("stopped");
  await expect(client.getPage({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(requests).toHaveLength(0);
});

test("a wait of more than 24 days, which no timer can take, does not end at once", async () => {
  await expect(systemClock.sleep(2 ** 31, AbortSignal.timeout(50))).rejects.toThrow("timeout");
});

test.each([
  ["3", 3_000],
  ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
  ["Wed, 31 Dec 2025 23:00:00 GMT", 0],
  ["soon", undefined],
  [null, undefined],
  ["1.5", undefined],
  ["-5", undefined],
])("parses Retry-After: %s", (header, expected) => {
  expect(parseRetryAfter(header, Date.UTC(2026, 0, 1))).toBe(expected);
});
