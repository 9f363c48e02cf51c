import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { openTemporaryFolder } from "../../harness/files/temporary-folder.ts";

const preload = import.meta.resolve("./record-turns.ts");

/** Runs a program of one long turn, and returns the recorded CPU time and duration of its turns, in milliseconds. */
async function turnsOf(program: string) {
  const folder = await openTemporaryFolder("record-turns", onTestFinished);
  const file = join(folder, "turns");
  // The turn begins once the preloaded program has started, and the next timer ends it.
  const code = `setTimeout(() => { ${program} }, 50); setTimeout(() => {}, 600);`;
  await promisify(execFile)(process.execPath, ["--import", preload, "--eval", code], { env: { TURNS_FILE: file } });
  const lines = (await readFile(file, "utf8")).split("\n").slice(0, -1);
  return lines.map((line) => line.split(" ").map(Number).slice(1));
}

test("records the CPU time of a turn that computes", async () => {
  const turns = await turnsOf(
    "const used = () => process.threadCpuUsage().user; for (const before = used(); used() < before + 250_000; );",
  );
  expect(Math.max(...turns.map(([cpuMs = 0]) => cpuMs))).toBeGreaterThanOrEqual(250);
});

/** Returns the CPU time of the longest turn; also the start of the process can use much. */
const ofLongest = (turns: readonly number[][]) => turns.toSorted(([, a = 0], [, b = 0]) => b - a)[0] ?? [];

test("records little CPU time for a turn that is only long", async () => {
  const turns = await turnsOf("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);");
  const [cpuMs, turnMs] = ofLongest(turns);
  expect(turnMs).toBeGreaterThanOrEqual(400);
  expect(cpuMs).toBeLessThan(200);
});
