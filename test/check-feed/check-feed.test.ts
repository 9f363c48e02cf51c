import { spawn } from "node:child_process";
import { expect, type TestContext, test } from "vitest";
import { z } from "zod";
import { projectFolder } from "../../deploy/local/stack/service-process.ts";

// What `npm run check:feed` does, in its short form. The database server is the one that is there: a slow one takes
// longer.
const timeout = 240_000;

const counts = z.strictObject({
  seed: z.int(),
  changes: z.int(),
  missed: z.int(),
  out_of_order: z.int(),
  doubled: z.int(),
  phantom: z.int(),
  kills: z.int(),
  clients: z.int(),
  stores: z.int(),
  seconds: z.int(),
  plain_clock: z.boolean(),
});

interface Run {
  readonly code: number | null;
  /** What it printed for people; told when the test fails. */
  readonly words: string;
  readonly counts: z.output<typeof counts>;
}

function checkFeed({ signal }: TestContext, ...options: string[]): Promise<Run> {
  const args = ["test/check-feed/main.ts", "--changes", "1500", "--no-build", ...options];
  const child = spawn(process.execPath, args, { cwd: projectFolder });
  // SIGTERM: it stops what it started and removes its files.
  signal.addEventListener("abort", () => child.kill(), { once: true });
  let printed = "";
  let words = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    words += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      try {
        const last = printed.trimEnd().split("\n").at(-1) ?? "";
        resolve({ code, words, counts: counts.parse(JSON.parse(last)) });
      } catch (cause) {
        reject(new Error(`it ended with ${code}:\n${printed}${words}`, { cause }));
      }
    });
  });
}

test("no client misses a change while every part of the system is killed", { timeout }, async (context) => {
  const { code, words, counts } = await checkFeed(context, "--kill-every-ms", "1000");
  const flawless = { missed: 0, out_of_order: 0, doubled: 0, phantom: 0, plain_clock: false };
  expect(counts, words).toMatchObject(flawless);
  expect(counts.changes).toBeGreaterThanOrEqual(1_500);
  // Each of the eight parts at least once, the database among them.
  expect(counts.kills).toBeGreaterThanOrEqual(8);
  expect(code).toBe(0);
});

test("clients miss changes where times come from a plain clock, and the check says so", {
  timeout,
}, async (context) => {
  const { code, counts } = await checkFeed(context, "--plain-clock");
  expect(counts.missed + counts.out_of_order).toBeGreaterThan(0);
  expect(counts.plain_clock).toBe(true);
  expect(code).toBe(1);
});
