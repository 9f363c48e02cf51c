import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { noLimits } from "../load/call-limits.ts";
import { CommitQueue } from "./commit-queue.ts";
import { draftFixture } from "./draft-fixture.ts";
import { type Change, type Ledger, PartialResult } from "./ledger.ts";

/**
 * Creates a change with a number of steps that each need a timestamp. Its result lists, for each step, the number of
 * the transaction that committed it.
 */
function stepping(steps: number, done: readonly number[] = []): Change<readonly number[]> {
  return {
    needs: {},
    maxTimestamps: steps - done.length,
    maxSerials: 0,
    decide: (draft) => {
      const taken = Math.min(draft.timestampsLeft, steps - done.length);
      const soFar = [...done, ...Array.from({ length: taken }, () => draft.nextTimestamp().getTime())];
      return soFar.length < steps ? new PartialResult(soFar) : soFar;
    },
    continueFrom: (soFar) => stepping(steps, soFar),
  };
}

/** Creates a queue whose first transactions have these numbers of timestamps, and whose later ones have ten each. */
function queueWithRoom(rooms: readonly number[]) {
  const waits: (number | undefined)[] = [];
  const during: (() => void)[] = [];
  let nowMs = 0;
  const ledger: Ledger = {
    commit: async (_storeId, changes, { enoughTimestamps } = {}) => {
      const room = rooms[waits.length] ?? 10;
      waits.push(enoughTimestamps);
      const draft = draftFixture({ timestamps: Array(room).fill(new Date(waits.length)) });
      const results = [];
      for (const change of changes) {
        if (results.length > 0 && draft.timestampsLeft < Math.min(1, change.maxTimestamps)) break;
        const result = change.decide(draft);
        results.push(result);
        if (result instanceof PartialResult) break;
      }
      nowMs += 1_000;
      during.shift()?.();
      return results;
    },
    preview: () => Promise.reject(new Error("not used")),
  };
  const clock = { now: () => nowMs, sleep: () => turn() };
  const queue = new CommitQueue(ledger, { clock });
  return { queue, waits, during, submit: (steps: number) => queue.submit("sto_1", stepping(steps)) };
}

test("commits changes in one transaction if it has enough timestamps for all of them", async () => {
  const { submit, waits } = queueWithRoom([4]);
  expect(await Promise.all([submit(1), submit(3)])).toEqual([[1], [1, 1, 1]]);
  expect(waits).toEqual([Number.POSITIVE_INFINITY]);
});

test("continues a partly committed change after the others, without waiting for all of its timestamps", async () => {
  const { submit, waits } = queueWithRoom([3, 2]);
  const results = await Promise.all([submit(1), submit(6), submit(1)]);
  expect(results).toEqual([[1], [1, 1, 2, 3, 3, 3], [2]]);
  expect(waits).toEqual([Number.POSITIVE_INFINITY, 10, 10]);
});

test("commits a change with a batch's next part if the whole batch would end after the change's deadline", async () => {
  const { submit, during, queue } = queueWithRoom([]);
  // Each transaction takes one second, and the batch and the change together take seven.
  const changes = queue.within({ ...noLimits, deadline: 4_500 });
  const single = Promise.withResolvers<readonly number[]>();
  during.push(
    () => undefined,
    () => single.resolve(changes.submit("sto_1", stepping(1))),
  );
  const batch = submit(60);
  expect(await single.promise).toEqual([3]);
  expect(new Set(await batch)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7]));
});

test("finishes a batch whose caller disconnects or whose deadline passes during the commit of its first part", async () => {
  const { during, queue } = queueWithRoom([]);
  const leaving = new AbortController();
  during.push(() => leaving.abort());
  const left = queue.within({ ...noLimits, signal: leaving.signal }).submit("sto_1", stepping(25));
  const late = queue.within({ ...noLimits, deadline: 1_500 }).submit("sto_2", stepping(25));
  expect((await Promise.all([left, late])).map(({ length }) => length)).toEqual([25, 25]);
});

test("commits every step of every change, whatever the number of timestamps per transaction", async () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 25 }), { maxLength: 12 });
  const rooms = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(sizes, rooms, async (steps, room) => {
      const { submit } = queueWithRoom(room);
      const results = await Promise.all(steps.map((size) => submit(size)));
      expect(results.map(({ length }) => length)).toEqual(steps);
    }),
  );
});
