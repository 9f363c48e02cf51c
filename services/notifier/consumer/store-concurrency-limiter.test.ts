import { describe, expect, test } from "vitest";
import { type Release, StoreConcurrencyLimiter } from "./store-concurrency-limiter.ts";

const fastMs = 20;
const slowMs = 8_000;

/** Creates a limiter and a log of the requests that it grants or rejects. */
function createLimiter(options = { storeMax: 4, slowMax: 2, unknownMax: 10 }) {
  const limiter = new StoreConcurrencyLimiter(options);
  const log: string[] = [];
  const releases = new Map<string, Release>();
  const acquire = (name: string, storeId: string, mayWait = true) =>
    limiter.acquire(storeId, mayWait).then((answer) => {
      log.push(typeof answer === "string" ? `${name} ${answer}` : name);
      if (typeof answer !== "string") releases.set(name, answer);
    });
  const settle = () => new Promise(setImmediate);
  return { limiter, log, acquire, settle, release: (name: string) => releases.get(name)?.() };
}

test("limits the concurrency of each store separately, and serves each store's waiters in FIFO order", async () => {
  const { log, acquire, settle, release } = createLimiter();
  for (const name of ["first", "second", "third", "fourth"]) acquire(name, "a");
  acquire("other", "b");
  await settle();
  expect(log).toEqual(["first", "second", "other"]);
  release("first");
  release("first");
  await settle();
  expect(log).toEqual(["first", "second", "other", "third"]);
});

test("serves waiters when the store's limit grows", async () => {
  const { limiter, log, acquire, settle } = createLimiter();
  for (const name of ["1", "2", "3", "4", "5"]) acquire(name, "a");
  limiter.recordLatency("a", fastMs);
  await settle();
  expect(log).toEqual(["1", "2", "3", "4"]);
});

test("gives slow stores one slot each within their shared pool, without delaying other stores", async () => {
  const { limiter, log, acquire, settle, release } = createLimiter();
  for (const storeId of ["a", "b", "c"]) limiter.recordLatency(storeId, slowMs);
  for (const storeId of ["a", "b", "c"]) {
    acquire(`${storeId}1`, storeId);
    acquire(`${storeId}2`, storeId);
  }
  for (const name of ["q1", "q2"]) acquire(name, "q");
  await settle();
  expect(log).toEqual(["a1", "b1", "q1", "q2"]);
  release("b1");
  await settle();
  expect(log.slice(4)).toEqual(["c1"]);
  release("a1");
  release("c1");
  await settle();
  expect(log.slice(5)).toEqual(["b2", "a2"]);
});

test("serves slow stores round-robin, whatever their backlogs", async () => {
  const { limiter, log, acquire, settle, release } = createLimiter({
    storeMax: 8,
    slowMax: 4,
    unknownMax: 2,
  });
  const hanging = ["h1", "h2", "h3", "h4", "h5", "h6"];
  for (const storeId of [...hanging, "late"]) limiter.recordLatency(storeId, slowMs);
  for (const storeId of hanging) for (let index = 0; index < 16; index++) acquire(storeId, storeId);
  acquire("late", "late");
  await settle();
  for (let finished = 0; finished < 21; finished++) {
    release(log[finished] ?? "");
    await settle();
  }
  // The only message of the store `late` waits for just one message of each other store.
  expect(log.slice(0, 7)).toEqual([...hanging, "late"]);
  const turns = hanging.map((storeId) => log.filter((name) => name === storeId).length);
  expect(turns).toEqual([4, 4, 4, 4, 4, 4]);
});

test("limits stores of unknown latency by a shared pool, which a store leaves after a fast delivery", async () => {
  const { limiter, log, acquire, settle, release } = createLimiter({
    storeMax: 4,
    slowMax: 2,
    unknownMax: 2,
  });
  limiter.recordLatency("fast", fastMs);
  for (const storeId of ["a", "b", "c", "d", "fast"]) acquire(storeId, storeId);
  await settle();
  expect(log).toEqual(["a", "b", "fast"]);
  limiter.recordLatency("a", fastMs);
  await settle();
  expect(log.slice(3)).toEqual(["c"]);
  release("b");
  await settle();
  expect(log.slice(4)).toEqual(["d"]);
});

test("serves another store of unknown latency when one becomes slow, until both pools are full", async () => {
  const { limiter, log, acquire, settle, release } = createLimiter({
    storeMax: 4,
    slowMax: 1,
    unknownMax: 2,
  });
  for (const storeId of ["a", "b", "c", "d", "e"]) acquire(storeId, storeId);
  await settle();
  expect(log).toEqual(["a", "b"]);
  for (const storeId of ["a", "b"]) limiter.recordLatency(storeId, slowMs);
  await settle();
  expect(log.slice(2)).toEqual(["c"]);
  limiter.recordLatency("c", slowMs);
  await settle();
  expect(log).toHaveLength(3);
  release("a");
  await settle();
  expect(log.slice(3)).toEqual(["d"]);
});

test("moves a store's active deliveries to another pool when the store's latency class changes", async () => {
  const { limiter, log, acquire, settle, release } = createLimiter();
  for (const name of ["a1", "a2"]) acquire(name, "a");
  await settle();
  limiter.recordLatency("a", slowMs);
  limiter.recordLatency("b", slowMs);
  acquire("b1", "b");
  await settle();
  expect(log).toEqual(["a1", "a2"]);
  limiter.recordLatency("a", fastMs);
  release("a1");
  acquire("b2", "b");
  await settle();
  limiter.recordLatency("c", slowMs);
  acquire("c1", "c");
  await settle();
  expect(log).toContain("c1");
});

describe("when the queue is full", () => {
  /** Creates a limiter with three waiters of a slow store, one of another slow store and one of a fast store. */
  async function fullLimiter() {
    const full = createLimiter({ storeMax: 1, slowMax: 2, unknownMax: 1 });
    const { limiter, log, acquire, settle } = full;
    for (const storeId of ["long", "short", "slow"]) limiter.recordLatency(storeId, slowMs);
    for (const storeId of ["fast", "other fast"]) limiter.recordLatency(storeId, fastMs);
    for (const [storeId, count] of Object.entries({ long: 4, short: 2, fast: 2, unknown: 1 }))
      for (let index = 0; index < count; index++) acquire(`${storeId} ${index}`, storeId);
    await settle();
    log.length = 0;
    const shedFor = async (storeId: string) => {
      acquire(`new of ${storeId}`, storeId, false);
      await settle();
      return log.splice(0);
    };
    return { ...full, shedFor };
  }

  test("sheds the newest waiter of the store with the longest queue among stores not known to be fast", async () => {
    const { shedFor } = await fullLimiter();
    expect(await shedFor("short")).toEqual(["long 3 overloaded"]);
    expect(await shedFor("slow")).toEqual(["long 2 overloaded"]);
    expect(await shedFor("fast")).toEqual(["new of short overloaded"]);
    expect(await shedFor("fast")).toEqual(["long 1 overloaded"]);
  });

  test("sheds the new message itself if its store has the longest queue", async () => {
    const { shedFor } = await fullLimiter();
    expect(await shedFor("long")).toEqual(["new of long overloaded"]);
  });

  test("sheds from a slow store rather than from a store of unknown latency with as many waiters", async () => {
    const { shedFor, acquire, settle, log } = await fullLimiter();
    expect(await shedFor("unknown")).toEqual(["long 3 overloaded"]);
    expect(await shedFor("slow")).toEqual(["long 2 overloaded"]);
    expect(await shedFor("slow")).toEqual(["new of slow overloaded"]);
    acquire("other", "other unknown", false);
    await settle();
    expect(log).toEqual(["long 1 overloaded"]);
  });

  test("if only fast stores wait, sheds from the longest queue for a fast store, but not for a slow store", async () => {
    const { limiter, shedFor, acquire, release, settle, log } = await fullLimiter();
    for (const storeId of ["long", "short"]) limiter.recordLatency(storeId, fastMs);
    await settle();
    log.length = 0;
    expect(await shedFor("slow")).toEqual(["new of slow"]);
    expect(await shedFor("slow")).toEqual(["new of slow overloaded"]);
    expect(await shedFor("fast")).toEqual(["long 3 overloaded"]);
    release("fast 0");
    acquire("last", "fast");
    await settle();
    expect(log).toEqual(["fast 1"]);
  });
});

test("close() rejects waiters and later requests", async () => {
  const { limiter, settle } = createLimiter();
  const acquired = [limiter.tryAcquire("a"), limiter.tryAcquire("a")];
  const waiting = limiter.acquire("a", true);
  limiter.close();
  expect(await waiting).toBe("closed");
  expect(await limiter.acquire("b", true)).toBe("closed");
  expect(limiter.tryAcquire("b")).toBeUndefined();
  for (const release of acquired) release?.();
  await settle();
});

test("forgets only the stores that were used least recently when there are too many", () => {
  const { limiter } = createLimiter({ storeMax: 4, slowMax: 1_000, unknownMax: 1_000 });
  const slotsOf = (storeId: string) => {
    const acquired = [limiter.tryAcquire(storeId), limiter.tryAcquire(storeId)];
    for (const release of acquired) release?.();
    return acquired.filter((release) => release !== undefined).length;
  };
  const storeIds = Array.from({ length: 10_000 }, (_, index) => `slow ${index}`);
  for (const storeId of storeIds) limiter.recordLatency(storeId, slowMs);
  expect(slotsOf("slow 0")).toBe(1);
  expect(slotsOf("new")).toBe(2);
  expect(["slow 0", "slow 2", "slow 9999"].map(slotsOf)).toEqual([1, 1, 1]);
  expect(slotsOf("slow 1")).toBe(2);
});
