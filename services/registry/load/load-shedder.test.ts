import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LoadShedError } from "./load-shed-error.ts";
import { LoadShedder } from "./load-shedder.ts";

/** A clock that stands still until the test advances it. */
function createManualClock() {
  let nowMs = 0;
  const sleepers = new Set<() => void>();
  const sleep = () =>
    new Promise<void>((resolve) => {
      sleepers.add(resolve);
    });
  const advance = async (durationMs: number) => {
    nowMs += durationMs;
    for (const wake of sleepers) wake();
    sleepers.clear();
    await turn();
  };
  return { clock: { now: () => nowMs, sleep }, advance };
}

interface CallOptions {
  readonly store?: string;
  readonly deadline?: number;
  readonly signal?: AbortSignal;
}

function createShedder(bounds: { total?: number; perStore?: number; waiting?: number } = {}) {
  const { clock, advance } = createManualClock();
  const shed: string[] = [];
  const { total = 1, perStore = 1, waiting = 100 } = bounds;
  const shedder = new LoadShedder({
    clock,
    onShed: (reason) => shed.push(reason),
    inFlightMax: total,
    inFlightPerStoreMax: perStore,
    waitingMax: waiting,
  });
  const started: string[] = [];
  /** Offers work that lasts until `end` or `fail` is called. */
  const offer = (name: string, options: CallOptions = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const limits = { store: "sto_1", deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
    const result = shedder.run({ ...limits, ...options }, () => {
      started.push(name);
      return promise;
    });
    // Keeps a rejection from counting as unhandled before the test awaits these promises.
    for (const outcome of [promise, result]) outcome.catch(() => undefined);
    const end = async () => {
      resolve(name);
      await turn();
    };
    const fail = async (error = new Error("work failed")) => {
      reject(error);
      await turn();
    };
    return { work: promise, result, end, fail };
  };
  const workFor = async (durationMs: number) => {
    const work = offer("past");
    await advance(durationMs);
    await work.end();
  };
  return { shedder, shed, started, offer, advance, workFor };
}

describe("LoadShedder", () => {
  test("returns the result of the work or throws its error, and releases the place in both cases", async () => {
    const { shedder, offer, started } = createShedder();
    const [first, second, third] = [offer("first"), offer("second"), offer("third")];
    await turn();
    expect([started, shedder.inFlight, shedder.waiting]).toEqual([["first"], 1, 2]);
    await first.end();
    expect(await first.result).toBe("first");
    await second.fail();
    await expect(second.result).rejects.toThrow("work failed");
    await third.end();
    expect([await third.result, shedder.inFlight, shedder.waiting]).toEqual(["third", 0, 0]);
  });

  test("counts work as shed if it fails with a LoadShedError after it has started", async () => {
    const { offer, shed } = createShedder({ total: 2, perStore: 2 });
    const [late, left] = [offer("late"), offer("left")];
    await late.fail(new LoadShedError("deadline"));
    await left.fail(new LoadShedError("caller_left"));
    await expect(late.result).rejects.toMatchObject({ code: "unavailable", reason: "too_late" });
    await expect(left.result).rejects.toMatchObject({ code: "unavailable", reason: "caller_left" });
    expect(shed).toEqual(["too_late", "caller_left"]);
  });

  test("rejects work with `unavailable` when the queue is full", async () => {
    const { offer, shed, started } = createShedder({ waiting: 1 });
    const calls = [offer("first"), offer("second"), offer("third")];
    await expect(calls[2]?.result).rejects.toMatchObject({ code: "unavailable", reason: "queue_full" });
    expect([started, shed]).toEqual([["first"], ["queue_full"]]);
  });

  test("never starts work for a caller that has disconnected", async () => {
    const { offer, shed, started, shedder } = createShedder();
    const first = offer("first");
    const leaving = new AbortController();
    const waiting = offer("waiting", { signal: leaving.signal });
    await turn();
    leaving.abort();
    await expect(waiting.result).rejects.toMatchObject({ code: "unavailable", reason: "caller_left" });
    await expect(offer("late", { signal: leaving.signal }).result).rejects.toMatchObject({ reason: "caller_left" });
    await first.end();
    expect([started, shed, shedder.waiting]).toEqual([["first"], ["caller_left", "caller_left"], 0]);
  });

  test("a waiting caller that disconnects frees its place in the queue at once", async () => {
    const { offer, shed, started, shedder } = createShedder({ waiting: 1 });
    const first = offer("first");
    const leaving = new AbortController();
    offer("left", { signal: leaving.signal });
    await turn();
    leaving.abort();
    const next = offer("next");
    await turn();
    expect([shed, shedder.waiting]).toEqual([["caller_left"], 1]);
    for (const call of [first, next]) await call.end();
    expect([started, shedder.inFlight]).toEqual([["first", "next"], 0]);
  });

  test("does not start work whose caller disconnects in the event loop turn in which a place becomes free", async () => {
    const { offer, started, shedder } = createShedder();
    const leaving = new AbortController();
    const first = offer("first");
    const waiting = offer("waiting", { signal: leaving.signal });
    await turn();
    // Runs after the shedder has assigned the place and before the waiting call continues.
    void first.work.then(() => leaving.abort());
    await first.end();
    await expect(waiting.result).rejects.toMatchObject({ reason: "caller_left" });
    expect([started, shedder.inFlight]).toEqual([["first"], 0]);
  });

  test("refuses work whose deadline has passed", async () => {
    const { offer, advance, started } = createShedder();
    await advance(100);
    await expect(offer("late", { deadline: 100 }).result).rejects.toMatchObject({ reason: "deadline" });
    expect(started).toEqual([]);
  });

  test("drops waiting work once half the time until its deadline has passed, even if no other work ends", async () => {
    const { offer, advance, shed } = createShedder();
    offer("stalled");
    const waiting = offer("waiting", { deadline: 1_000 });
    await advance(500);
    expect(shed).toEqual([]);
    await advance(1);
    await expect(waiting.result).rejects.toMatchObject({ code: "unavailable", reason: "deadline" });
  });

  test("drops waiting work when its result is expected to be too late", async () => {
    const { offer, advance, workFor, shed } = createShedder();
    await workFor(100);
    offer("stalled");
    const waiting = offer("waiting", { deadline: 100 + 320 });
    // Work is expected to take 100 ms, so waiting work must start at least 200 ms before its deadline.
    await advance(120);
    expect(shed).toEqual([]);
    await advance(1);
    await expect(waiting.result).rejects.toMatchObject({ code: "unavailable", reason: "deadline" });
  });

  test("expects work to take as long as before, although many callers have left early", async () => {
    const { offer, workFor, shed } = createShedder();
    await workFor(100);
    for (let count = 0; count < 10; count++) await offer("left").fail(new LoadShedError("caller_left"));
    offer("running");
    await turn();
    // Calls with this deadline could wait for 80 ms in the queue, and the work before them takes 100 ms.
    offer("waiting", { deadline: 100 + 160 });
    await turn();
    expect(shed.at(-1)).toBe("deadline");
  });

  test("expects work to take longer once work has lasted for longer than expected when its caller left", async () => {
    const { offer, advance, workFor, shed } = createShedder();
    await workFor(100);
    const stalled = offer("stalled");
    await advance(2_000);
    await stalled.fail(new LoadShedError("caller_left"));
    offer("running");
    await turn();
    // Calls with this deadline could wait for 200 ms in the queue: long enough only for work as before the stall.
    offer("waiting", { deadline: 2_100 + 400 });
    await turn();
    expect(shed.at(-1)).toBe("deadline");
  });

  test("refuses work immediately if it would wait too long in the queue", async () => {
    const { offer, workFor } = createShedder();
    await workFor(100);
    // Calls with this deadline may wait at most 250 ms in the queue.
    const deadline = 100 + 500;
    const calls = [offer("running"), offer("second", { deadline }), offer("third", { deadline })];
    await turn();
    await expect(offer("fourth", { deadline }).result).rejects.toMatchObject({ reason: "deadline" });
    for (const call of calls) await call.end();
    expect(await Promise.all(calls.map(({ result }) => result))).toEqual(["running", "second", "third"]);
  });

  test("starts work after a stall, although the expected duration exceeds the time left", async () => {
    const { offer, workFor } = createShedder();
    await workFor(60_000);
    const next = offer("next", { deadline: 60_500 });
    await next.end();
    expect(await next.result).toBe("next");
  });
});

const scenario = fc.array(
  fc.record({
    action: fc.constantFrom("offer" as const, "offer" as const, "end" as const, "leave" as const, "advance" as const),
    pick: fc.nat(50),
  }),
  { maxLength: 80 },
);

test("LoadShedder never exceeds its bounds, and releases every place, despite failures, disconnects and timeouts", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (steps) => {
      const { shedder, offer, advance } = createShedder({ total: 3, perStore: 2, waiting: 6 });
      const calls: (ReturnType<typeof offer> & { leaving: AbortController })[] = [];
      let nowMs = 0;
      for (const { action, pick } of steps) {
        const call = calls[pick % Math.max(1, calls.length)];
        if (action === "offer") {
          const leaving = new AbortController();
          const limits = { store: `sto_${pick % 3}`, deadline: nowMs + 10 * pick, signal: leaving.signal };
          calls.push({ ...offer("work", limits), leaving });
        } else if (action === "end") await (pick % 2 === 0 ? call?.end() : call?.fail());
        else if (action === "leave") call?.leaving.abort();
        else {
          nowMs += pick;
          await advance(pick);
        }
        expect(shedder.inFlight).toBeLessThanOrEqual(3);
        expect(shedder.waiting).toBeLessThanOrEqual(6);
      }
      for (const call of calls) await call.end();
      await Promise.allSettled(calls.map(({ result }) => result));
      expect([shedder.inFlight, shedder.waiting]).toEqual([0, 0]);
    }),
    { numRuns: 60 },
  );
});

test("reports `deadline`, not `caller_left`, for a call whose signal aborts at its deadline", async () => {
  const { offer, shed, advance } = createShedder();
  await advance(10);
  const call = offer("late", { deadline: 10, signal: AbortSignal.abort() });
  await expect(call.result).rejects.toBeInstanceOf(LoadShedError);
  expect(shed).toEqual(["deadline"]);
});
