import fc from "fast-check";
import { expect, test } from "vitest";
import { commitInParts } from "./commit-in-parts.ts";
import { draftFixture } from "./draft-fixture.ts";
import { type Change, type Ledger, PartialResult } from "./ledger.ts";

/**
 * Creates a change with a number of steps that each need a timestamp. Its result lists the transactions of the steps.
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

/** Creates a ledger whose transactions have room for these numbers of timestamps in turn, and then for ten each. */
function ledgerWithRoom(rooms: readonly number[]) {
  const waits: (number | undefined)[] = [];
  const ledger: Pick<Ledger, "commit"> = {
    commit: async (_storeId, changes, { enoughTimestamps } = {}) => {
      const room = rooms[waits.length] ?? 10;
      waits.push(enoughTimestamps);
      const draft = draftFixture({ timestamps: Array(room).fill(new Date(waits.length)) });
      const results = [];
      for (const change of changes) {
        const result = change.decide(draft);
        results.push(result);
        if (result instanceof PartialResult) break;
      }
      return results;
    },
  };
  return { ledger, waits };
}

test("commits changes for which there is room in one transaction", async () => {
  const { ledger, waits } = ledgerWithRoom([4]);
  const results: unknown[] = [];
  await commitInParts(ledger, "sto_1", [stepping(1), stepping(3)], (_index, result) => results.push(result));
  expect(results).toEqual([[1], [1, 1, 1]]);
  expect(waits).toEqual([Number.POSITIVE_INFINITY]);
});

test("continues a partly committed change after the others, without waiting for room for all of it", async () => {
  const { ledger, waits } = ledgerWithRoom([3, 2]);
  const results: [number, unknown][] = [];
  const changes = [stepping(1), stepping(6), stepping(1)];
  await commitInParts(ledger, "sto_1", changes, (index, result) => results.push([index, result]));
  expect(results).toEqual([
    [0, [1]],
    [2, [2]],
    [1, [1, 1, 2, 3, 3, 3]],
  ]);
  expect(waits).toEqual([Number.POSITIVE_INFINITY, 10, 10]);
});

test("reports each change once and completely, with any amount of room per transaction", async () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 25 }), { maxLength: 12 });
  const rooms = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(sizes, rooms, async (steps, room) => {
      const { ledger } = ledgerWithRoom(room);
      const results = new Map<number, unknown>();
      await commitInParts(
        ledger,
        "sto_1",
        steps.map((size) => stepping(size)),
        (index, result) => {
          expect(results.has(index)).toBe(false);
          results.set(index, result);
        },
      );
      expect([...results].sort(([a], [b]) => a - b)).toEqual(
        steps.map((size, index) => [index, expect.objectContaining({ length: size })]),
      );
    }),
  );
});
