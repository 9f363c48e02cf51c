import { describe, expect, test } from "vitest";
import { adjustConcurrency, initialConcurrency } from "./store-concurrency.ts";
import { type Release, StoreConcurrencyLimiter } from "./store-concurrency-limiter.ts";

const quick = 20;
const slow = 8_000;

/** Slots, some stores known to be quick or slow, and who got one. */
function stand(options = { storeMax: 4, slowMax: 2, unprovenMax: 10 }) {
  const slots = new StoreConcurrencyLimiter(options);
  const got: string[] = [];
  const releases = new Map<string, Release>();
  const ask = (name: string, storeId: string, hasRoom = true) =>
    slots.acquire(storeId, hasRoom).then((answer) => {
      got.push(typeof answer === "string" ? `${name} ${answer}` : name);
      if (typeof answer !== "string") releases.set(name, answer);
    });
  const turn = () => new Promise(setImmediate);
  return { slots, got, ask, turn, release: (name: string) => releases.get(name)?.() };
}

describe("the pace of a store", () => {
  test("grows with each quick delivery up to the limit, falls to one slot with a slow one, and grows again", () => {
    let pace = initialConcurrency;
    const limits = [quick, quick, quick, slow, slow, quick, quick].map((deliveryMs) => {
      pace = adjustConcurrency(pace, deliveryMs, 6);
      return pace.limit;
    });
    expect(limits).toEqual([4, 6, 6, 1, 1, 2, 4]);
  });
});

test("a store has as many slots as its pace allows, others wait in order, and stores do not wait for each other", async () => {
  const { got, ask, turn, release } = stand();
  for (const name of ["first", "second", "third", "fourth"]) ask(name, "a");
  ask("other", "b");
  await turn();
  expect(got).toEqual(["first", "second", "other"]);
  release("first");
  release("first");
  await turn();
  expect(got).toEqual(["first", "second", "other", "third"]);
});

test("who waits is served when the pace grows", async () => {
  const { slots, got, ask, turn } = stand();
  for (const name of ["1", "2", "3", "4", "5"]) ask(name, "a");
  slots.note("a", quick);
  await turn();
  expect(got).toEqual(["1", "2", "3", "4"]);
});

test("slow stores have one slot each, and no more than their share together; the others do not wait", async () => {
  const { slots, got, ask, turn, release } = stand();
  for (const storeId of ["a", "b", "c"]) slots.note(storeId, slow);
  for (const storeId of ["a", "b", "c"]) {
    ask(`${storeId}1`, storeId);
    ask(`${storeId}2`, storeId);
  }
  for (const name of ["q1", "q2"]) ask(name, "q");
  await turn();
  expect(got).toEqual(["a1", "b1", "q1", "q2"]);
  release("b1");
  await turn();
  expect(got.slice(4)).toEqual(["c1"]);
  release("a1");
  release("c1");
  await turn();
  expect(got.slice(5)).toEqual(["b2", "a2"]);
});

test("every slow store gets its turn, however many hang with a backlog and whoever came first", async () => {
  const { slots, got, ask, turn, release } = stand({ storeMax: 8, slowMax: 4, unprovenMax: 2 });
  const hanging = ["h1", "h2", "h3", "h4", "h5", "h6"];
  for (const storeId of [...hanging, "late"]) slots.note(storeId, slow);
  for (const storeId of hanging) for (let index = 0; index < 16; index++) ask(storeId, storeId);
  ask("late", "late");
  await turn();
  for (let ended = 0; ended < 21; ended++) {
    release(got[ended] ?? "");
    await turn();
  }
  // The one message of the last store stands behind one of each other store, and behind nothing else.
  expect(got.slice(0, 7)).toEqual([...hanging, "late"]);
  const turns = hanging.map((storeId) => got.filter((name) => name === storeId).length);
  expect(turns).toEqual([4, 4, 4, 4, 4, 4]);
});

test("stores of which nothing is known share a bound; one that proves to be quick leaves it", async () => {
  const { slots, got, ask, turn, release } = stand({ storeMax: 4, slowMax: 2, unprovenMax: 2 });
  slots.note("quick", quick);
  for (const storeId of ["a", "b", "c", "d", "quick"]) ask(storeId, storeId);
  await turn();
  expect(got).toEqual(["a", "b", "quick"]);
  slots.note("a", quick);
  await turn();
  expect(got.slice(3)).toEqual(["c"]);
  release("b");
  await turn();
  expect(got.slice(4)).toEqual(["d"]);
});

test("unproven stores that turn out slow make room for the next ones, until both shares are taken", async () => {
  const { slots, got, ask, turn, release } = stand({ storeMax: 4, slowMax: 1, unprovenMax: 2 });
  for (const storeId of ["a", "b", "c", "d", "e"]) ask(storeId, storeId);
  await turn();
  expect(got).toEqual(["a", "b"]);
  for (const storeId of ["a", "b"]) slots.note(storeId, slow);
  await turn();
  expect(got.slice(2)).toEqual(["c"]);
  slots.note("c", slow);
  await turn();
  expect(got).toHaveLength(3);
  release("a");
  await turn();
  expect(got.slice(3)).toEqual(["d"]);
});

test("a store that becomes slow with deliveries under way counts with all of them, and leaves with all of them", async () => {
  const { slots, got, ask, turn, release } = stand();
  for (const name of ["a1", "a2"]) ask(name, "a");
  await turn();
  slots.note("a", slow);
  slots.note("b", slow);
  ask("b1", "b");
  await turn();
  expect(got).toEqual(["a1", "a2"]);
  slots.note("a", quick);
  release("a1");
  ask("b2", "b");
  await turn();
  slots.note("c", slow);
  ask("c1", "c");
  await turn();
  expect(got).toContain("c1");
});

describe("where there is no more room to wait", () => {
  /** Three wait for a slow store, two for another one, and one for a quick one. */
  async function crowd() {
    const stood = stand({ storeMax: 1, slowMax: 2, unprovenMax: 1 });
    const { slots, got, ask, turn } = stood;
    for (const storeId of ["long", "short", "slow"]) slots.note(storeId, slow);
    for (const storeId of ["quick", "other quick"]) slots.note(storeId, quick);
    for (const [storeId, count] of Object.entries({ long: 4, short: 2, quick: 2, unproven: 1 }))
      for (let index = 0; index < count; index++) ask(`${storeId} ${index}`, storeId);
    await turn();
    got.length = 0;
    const come = async (storeId: string) => {
      ask(`new of ${storeId}`, storeId, false);
      await turn();
      return got.splice(0);
    };
    return { ...stood, come };
  }

  test("the newest of the store that is not quick and has most is sent away for who comes", async () => {
    const { come } = await crowd();
    expect(await come("short")).toEqual(["long 3 crowded"]);
    expect(await come("slow")).toEqual(["long 2 crowded"]);
    expect(await come("quick")).toEqual(["new of short crowded"]);
    expect(await come("quick")).toEqual(["long 1 crowded"]);
  });

  test("who comes is sent away itself for a store that has most", async () => {
    const { come } = await crowd();
    expect(await come("long")).toEqual(["new of long crowded"]);
  });

  test("a store of which nothing is known goes before a slow one that has as many", async () => {
    const { come, ask, turn, got } = await crowd();
    expect(await come("unproven")).toEqual(["long 3 crowded"]);
    expect(await come("slow")).toEqual(["long 2 crowded"]);
    expect(await come("slow")).toEqual(["new of slow crowded"]);
    ask("other", "other unproven", false);
    await turn();
    expect(got).toEqual(["long 1 crowded"]);
  });

  test("among quick stores the one with most makes room, and slow stores take none from them", async () => {
    const { slots, come, ask, release, turn, got } = await crowd();
    for (const storeId of ["long", "short"]) slots.note(storeId, quick);
    await turn();
    got.length = 0;
    expect(await come("slow")).toEqual(["new of slow"]);
    expect(await come("slow")).toEqual(["new of slow crowded"]);
    expect(await come("quick")).toEqual(["long 3 crowded"]);
    release("quick 0");
    ask("last", "quick");
    await turn();
    expect(got).toEqual(["quick 1"]);
  });
});

test("closing sends away who waits and who comes", async () => {
  const { slots, turn } = stand();
  const taken = [slots.tryAcquire("a"), slots.tryAcquire("a")];
  const waiting = slots.acquire("a", true);
  slots.close();
  expect(await waiting).toBe("closed");
  expect(await slots.acquire("b", true)).toBe("closed");
  expect(slots.tryAcquire("b")).toBeUndefined();
  for (const release of taken) release?.();
  await turn();
});
