import { expect, onTestFinished, test } from "vitest";
import { PassingClock } from "#shared/time/passing-clock-fixture.ts";
import { PlaceReturns } from "./place-returns.ts";

const key = (byte: number) => new Uint8Array(32).fill(byte);
const id = (byte: number) => new Uint8Array(16).fill(byte);

/**
 * Creates PlaceReturns with a simulated clock.
 *
 * @param found returns the ids that held a place, or undefined to make the call fail
 */
function startReturns(found: (call: number, ids: readonly Uint8Array[]) => readonly Uint8Array[] | undefined) {
  const clock = new PassingClock();
  const calls: { readonly atMs: number; readonly key: number | undefined; readonly ids: number }[] = [];
  const counts = { returned: 0, lost: 0 };
  const returns = new PlaceReturns({
    places: {
      returnPlaces: async (keyHash, ids) => {
        calls.push({ atMs: clock.now(), key: keyHash[0], ids: ids.length });
        const result = found(calls.length, ids);
        if (result === undefined) throw new Error("the database is unavailable");
        return result;
      },
    },
    clock,
    windowMs: 10_000,
    onReturned: (count) => (counts.returned += count),
    onLost: (count) => (counts.lost += count),
  });
  onTestFinished(() => returns.stop());
  const settled = async () => {
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  };
  return { returns, calls, counts, settled };
}

test("returns the places of requests with the same key in one call", async () => {
  const { returns, calls, counts, settled } = startReturns((_call, ids) => ids);
  for (const [keyByte, idByte] of [
    [9, 9],
    [1, 1],
    [2, 2],
    [1, 3],
  ] as const)
    returns.add({ keyHash: key(keyByte), id: id(idByte), isWritten: true });
  await settled();
  // The first attempt contains only the first item.
  expect(calls.map(({ key, ids }) => [key, ids])).toEqual([
    [9, 1],
    [1, 2],
    [2, 1],
  ]);
  expect(counts).toEqual({ returned: 4, lost: 0 });
});

test("handles at most eight keys at a time, and reports unfinished returns as lost when it stops", async () => {
  const calls: number[] = [];
  let lost = 0;
  const wakes: (() => void)[] = [];
  const returns = new PlaceReturns({
    places: {
      returnPlaces: (keyHash, ids) => {
        calls.push(keyHash[0] ?? 0);
        // Only the first key's return completes.
        return calls.length === 1 ? Promise.resolve(ids) : new Promise(() => undefined);
      },
    },
    clock: { now: () => 0, sleep: () => new Promise((wake) => wakes.push(wake)) },
    windowMs: 10_000,
    onLost: (count) => (lost += count),
  });
  for (let byte = 0; byte < 20; byte++) returns.add({ keyHash: key(byte), id: id(byte), isWritten: true });
  await new Promise(setImmediate);
  expect(calls).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  const stopped = returns.stop();
  for (const wake of wakes) wake();
  await stopped;
  expect([calls.length, lost]).toEqual([9, 19]);
});

test("returns a place only once even if several callers request its return", async () => {
  const { returns, calls, counts, settled } = startReturns((call, ids) => (call === 1 ? ids : []));
  for (const isWritten of [true, true, false]) returns.add({ keyHash: key(1), id: id(1), isWritten });
  await settled();
  expect(new Set(calls.map(({ ids }) => ids))).toEqual(new Set([1]));
  expect(counts).toEqual({ returned: 1, lost: 0 });
});

test("does not retry the return of a written admission whose place was already returned", async () => {
  const { returns, calls, settled } = startReturns(() => []);
  returns.add({ keyHash: key(1), id: id(1), isWritten: true });
  await settled();
  expect(calls).toHaveLength(1);
});

test("repeats the return for one window if a delayed operation may still write the admission", async () => {
  const { returns, calls, counts, settled } = startReturns((call, ids) => (call === 2 || call === 3 ? ids : []));
  returns.add({ keyHash: key(1), id: id(1), isWritten: false });
  await settled();
  expect(counts).toEqual({ returned: 2, lost: 0 });
  expect(calls.length).toBeGreaterThan(3);
  expect(calls.every(({ atMs }) => atMs < 10_000)).toBe(true);
});

test("retries failed returns for at most one window, and then reports only written admissions as lost", async () => {
  const { returns, calls, counts, settled } = startReturns(() => undefined);
  returns.add({ keyHash: key(1), id: id(1), isWritten: true });
  returns.add({ keyHash: key(2), id: id(2), isWritten: false });
  await settled();
  expect(counts).toEqual({ returned: 0, lost: 1 });
  expect(calls.every(({ atMs }) => atMs < 10_000)).toBe(true);
});
