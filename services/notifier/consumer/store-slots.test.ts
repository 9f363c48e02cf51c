import { describe, expect, test } from "vitest";
import { firstPace, paceAfter } from "./store-pace.ts";
import { type Release, StoreSlots } from "./store-slots.ts";

const quick = 20;
const slow = 8_000;

/** Slots, some stores known to be quick or slow, and who got one. */
function stand(options = { storeMax: 4, slowMax: 2, unprovenMax: 10 }) {
  const slots = new StoreSlots(options);
  const got: string[] = [];
  const releases = new Map<string, Release>();
  const ask = (name: string, storeId: string) =>
    slots.acquire(storeId).then((release) => {
      got.push(name);
      if (release !== undefined) releases.set(name, release);
    });
  const turn = () => new Promise(setImmediate);
  return { slots, got, ask, turn, release: (name: string) => releases.get(name)?.() };
}

describe("the pace of a store", () => {
  test("grows with each quick delivery up to the limit, falls to one slot with a slow one, and grows again", () => {
    let pace = firstPace;
    const limits = [quick, quick, quick, slow, slow, quick, quick].map((deliveryMs) => {
      pace = paceAfter(pace, deliveryMs, 6);
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

test("closing sends away who waits and who comes", async () => {
  const { slots, turn } = stand();
  const taken = [await slots.acquire("a"), await slots.acquire("a")];
  const waiting = slots.acquire("a");
  slots.close();
  expect(await waiting).toBeUndefined();
  expect(await slots.acquire("b")).toBeUndefined();
  expect(slots.tryAcquire("b")).toBeUndefined();
  for (const release of taken) release?.();
  await turn();
});
