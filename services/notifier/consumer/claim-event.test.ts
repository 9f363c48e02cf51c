import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { notSent } from "#shared/rpc/grpc-failure.ts";
import { PassingClock } from "#shared/time/passing-clock-fixture.ts";
import { testEvent } from "../event-fixture.ts";
import type { ClaimAnswer, ClaimRequest } from "../registry-client/registry-deliveries.ts";
import { claimEvent } from "./claim-event.ts";

const never = new AbortController().signal;
const settled: ClaimAnswer = { decision: "settled" };
const timeout = new ConnectError("late", Code.DeadlineExceeded);
const connectionLost = new ConnectError("Connection dropped", Code.Unavailable);
const notConnected = notSent(Object.assign(new Error("No connection established."), { code: Code.Unavailable }));
const refused = new ConnectError("claims must have 1 to 500 entries", Code.InvalidArgument);

/** Claims an event on a simulated clock; each call takes a second and fails with the next of `failures`, if any. */
async function claimWith(failures: readonly Error[], signal = never, onSleep?: () => void) {
  const requests: ClaimRequest[] = [];
  const left = [...failures];
  const steadyClock = new PassingClock();
  const clock = {
    now: steadyClock.now,
    sleep: async (ms: number) => {
      await steadyClock.sleep(ms);
      onSleep?.();
    },
  };
  const claim = async (request: ClaimRequest) => {
    requests.push(request);
    steadyClock.pass(1_000);
    const failure = left.shift();
    if (failure !== undefined) throw failure;
    return settled;
  };
  const claimed = await claimEvent(testEvent(), { claim, clock, steadyClock }, signal);
  return { requests, claimed, clock };
}

test.each([
  ["times out", timeout],
  ["loses its connection", connectionLost],
  ["gets an invalid response", new Error("the registry's results do not match the claims")],
])("retries a call that %s, with the same token, until it gets an answer", async (_how, failure) => {
  const { requests, claimed } = await claimWith([failure, notConnected, failure]);
  expect(claimed?.answer).toEqual(settled);
  expect(requests).toHaveLength(4);
  expect(requests[0]?.attemptToken).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(requests.map(({ attemptToken }) => attemptToken)).size).toBe(1);
});

test("uses a new token for each attempt", async () => {
  const attempts = [await claimWith([]), await claimWith([])];
  expect(new Set(attempts.map(({ requests }) => requests[0]?.attemptToken)).size).toBe(2);
});

test.each([
  ["never reached the registry", notConnected],
  ["was refused as invalid", refused],
])("returns no answer after one call that %s, because no claim is stored", async (_how, failure) => {
  const { requests, claimed } = await claimWith([failure]);
  expect(claimed).toBeUndefined();
  expect(requests).toHaveLength(1);
});

test("does not retry a failed call if the signal has aborted", async () => {
  const { requests, claimed } = await claimWith([timeout], AbortSignal.abort());
  expect(claimed).toBeUndefined();
  expect(requests).toHaveLength(1);
});

test("does not retry if the signal aborts during the pause, so that no further claim is stored", async () => {
  const stop = new AbortController();
  const { requests, claimed } = await claimWith([timeout], stop.signal, () => stop.abort());
  expect(claimed).toBeUndefined();
  expect(requests).toHaveLength(1);
});

test("gives up after five minutes of failed calls", async () => {
  const { claimed, clock } = await claimWith(Array(1_000).fill(timeout));
  expect(claimed).toBeUndefined();
  expect(clock.now()).toBeGreaterThanOrEqual(5 * 60_000);
  expect(clock.now()).toBeLessThan(5 * 60_000 + 10_000);
});

test("measures the claim's age from the start of the call that succeeded", async () => {
  const { claimed, clock } = await claimWith([timeout, timeout]);
  expect(claimed?.ageMs()).toBeCloseTo(1_000);
  await clock.sleep(500);
  expect(claimed?.ageMs()).toBeCloseTo(1_500);
});
