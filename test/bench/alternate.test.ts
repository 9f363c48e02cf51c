import { expect, test } from "vitest";
import { alternate, type Side } from "./alternate.ts";
import { compare } from "./compare.ts";

const signal = new AbortController().signal;

/** Creates a side whose turns report one second each and, in order, the given numbers of completed units. */
function sideOf(name: string, log: string[], ...units: number[]): Side {
  let turn = 0;
  return {
    name,
    processes: {},
    prepare: async () => log.push(`${name} prepares`),
    round: async () => {
      log.push(name);
      return { units: units[turn++] ?? 0, elapsedMs: 1_000 };
    },
    settle: async () => log.push(`${name} settles`),
  };
}

test("warms up each side, then alternates; prepares each side before its turn and settles it afterwards", async () => {
  const log: string[] = [];
  const sides = [sideOf("a", log, 8_000, 10, 20), sideOf("b", log, 4_000, 4_000, 40, 50)];
  const turns = await alternate(sides, { rounds: 2, durationMs: 1, signal });
  expect(log.filter((line) => line.length === 1).join(" ")).toBe("a b b a b a b");
  expect(log.slice(0, 4)).toEqual(["a prepares", "a", "a settles", "b prepares"]);
  expect(turns.a?.map(({ unitsPerSecond }) => unitsPerSecond)).toEqual([10, 20]);
  expect(turns.b?.map(({ unitsPerSecond }) => unitsPerSecond)).toEqual([40, 50]);
});

test("limits the warm-up of a slow side to four turns", async () => {
  const log: string[] = [];
  await alternate([sideOf("a", log)], { rounds: 6, durationMs: 1, signal });
  expect(log.filter((line) => line === "a")).toHaveLength(4 + 6);
});

test("rejects with the signal's abort reason", async () => {
  const stopped = AbortSignal.abort(new Error("stopped"));
  const sides = [sideOf("a", [])];
  await expect(alternate(sides, { rounds: 1, durationMs: 1, signal: stopped })).rejects.toThrow("stopped");
});

test("compares turns within a round and reports CPU time per unit", () => {
  const turn = (unitsPerSecond: number, cpuMicros: number) => {
    return { units: 1, elapsedMs: 1, unitsPerSecond, cpuMicrosPerUnit: { database: cpuMicros } };
  };
  const ours = [turn(50, 900), turn(30, 1_000), turn(90, 1_300)];
  const theirs = [turn(100, 500), turn(40, 500), turn(100, 500)];
  const { sides, shareOf } = compare({ ours, theirs });
  expect(shareOf).toEqual({ theirs: { median: 0.75, min: 0.5, max: 0.9 } });
  expect(sides.ours).toEqual({
    perSecond: { median: 50, min: 30, max: 90 },
    cpuMicrosPerUnit: { database: 1_000 },
  });
});
