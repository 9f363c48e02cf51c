import { expect, test } from "vitest";
import type { Clock } from "#shared/time/clock.ts";
import { ManualClock } from "#shared/time/manual-clock-fixture.ts";
import { SharedRefusals } from "./shared-refusals.ts";

type Response = "refused" | "admitted";

/** `request` makes a request, and `end` completes the latest call. `calls` lists the calls in start order. */
function startCalls(clock: Clock = { now: () => 0, sleep: async () => undefined }) {
  const shared = new SharedRefusals<Response>((response) => response === "refused", clock);
  const calls: PromiseWithResolvers<Response>[] = [];
  const request = (key = "key") =>
    shared.run(key, () => {
      const call = Promise.withResolvers<Response>();
      calls.push(call);
      return call.promise;
    });
  const end = async (response: Response) => {
    calls.at(-1)?.resolve(response);
    // Lets the requests continue.
    await new Promise((resolve) => setImmediate(resolve));
  };
  /** Makes a request that is refused, and returns while the call of a second request is in progress. */
  const startRefused = async () => {
    const first = request();
    await end("refused");
    await first;
    const inProgress = request();
    await Promise.resolve();
    return { inProgress };
  };
  return { request, calls, end, startRefused };
}

test("makes a separate call for each request whose key has not been refused", async () => {
  const { request, calls, end } = startCalls();
  const requests = [request(), request(), request()];
  expect(calls).toHaveLength(3);
  for (const { resolve } of calls) resolve("admitted");
  expect(await Promise.all(requests)).toEqual(["admitted", "admitted", "admitted"]);
  await end("admitted");
});

test("makes one shared call for all waiting requests, and refuses them all if that call is refused", async () => {
  const { request, calls, end, startRefused } = startCalls();
  const { inProgress } = await startRefused();
  const waiting = [request(), request(), request()];
  expect(calls).toHaveLength(2);
  await end("refused");
  expect(await inProgress).toBe("refused");
  expect(calls).toHaveLength(3);
  await end("refused");
  expect(await Promise.all(waiting)).toEqual(["refused", "refused", "refused"]);
  expect(calls).toHaveLength(3);
});

test("does not refuse a request because of a call that started before the request arrived", async () => {
  const { request, calls, end, startRefused } = startCalls();
  await startRefused();
  let isAnswered = false;
  void request().then(() => {
    isAnswered = true;
  });
  await end("refused");
  expect(isAnswered).toBe(false);
  expect(calls).toHaveLength(3);
});

test("makes a separate call for each of the other waiting requests if the shared call is admitted", async () => {
  const { request, calls, end, startRefused } = startCalls();
  await startRefused();
  const waiting = [request(), request(), request()];
  await end("refused");
  await end("admitted");
  expect(calls).toHaveLength(5);
  for (const { resolve } of calls) resolve("admitted");
  expect(await Promise.all(waiting)).toEqual(["admitted", "admitted", "admitted"]);
});

test("makes a separate call for each of the other waiting requests if the shared call fails", async () => {
  const { request, calls, end, startRefused } = startCalls();
  await startRefused();
  const waiting = [request(), request(), request()];
  const ends = Promise.allSettled(waiting);
  await end("refused");
  calls.at(-1)?.reject(new Error("the client left"));
  await end("refused");
  expect(calls).toHaveLength(5);
  for (const { resolve } of calls) resolve("refused");
  expect((await ends).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
});

test("starts the calls for a refused key at least 10 ms apart, each on behalf of all waiting requests", async () => {
  const clock = new ManualClock();
  const { request, calls, end, startRefused } = startCalls(clock);
  const { inProgress } = await startRefused();
  await end("refused");
  await inProgress;
  await clock.advance(9);
  const waiting = [request(), request()];
  await end("refused");
  expect(calls).toHaveLength(2);
  await clock.endSleep();
  expect(clock.now()).toBe(10);
  expect(calls).toHaveLength(3);
  await end("refused");
  expect(await Promise.all(waiting)).toEqual(["refused", "refused"]);
  await clock.advance(10);
  void request();
  await end("refused");
  expect(calls).toHaveLength(4);
});

test("does not make a request wait for a call for another key", async () => {
  const { request, calls, startRefused } = startCalls();
  await startRefused();
  void request("another");
  expect(calls).toHaveLength(3);
});
