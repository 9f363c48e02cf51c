import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { z } from "zod";
import { projectFolder } from "../../deploy/local/stack/service-process.ts";

// `npm run bench` in its shortest form: whether it runs at all and what it prints, never how fast anything is.
const timeout = 240_000;
const shortest = ["--seconds", "0.1", "--rounds", "1", "--stores", "2", "--no-build"];

const positive = z.number().positive();
const spread = z.strictObject({ median: positive, min: positive, max: positive });
const finding = <Side extends string>(...others: Side[]) =>
  z.strictObject({
    title: z.string().min(1),
    sides: z.strictObject(
      Object.fromEntries(
        ["service", ...others].map((name) => [
          name,
          // No number where a process used less CPU time than the system counts.
          z.strictObject({
            perSecond: spread,
            cpuMicrosPerUnit: z.record(z.string(), z.number().nonnegative().nullable()),
          }),
        ]),
      ),
    ),
    shareOf: z.strictObject(Object.fromEntries(others.map((name) => [name, spread]))),
  });

const output = z.strictObject({
  run: z.strictObject({
    cores: z.int(),
    cpu: z.string(),
    node: z.string(),
    database: z.string(),
    rounds: z.literal(1),
    seconds: z.literal(0.1),
    stores: z.literal(2),
  }),
  changes: z.strictObject({
    over_stores: finding("transaction"),
    one_store: finding("transaction", "with_transaction"),
    one_caller: finding("transaction"),
  }),
  import: z.strictObject({
    one_store: finding("transaction", "insert_many"),
    several_stores: finding("transaction", "insert_many"),
  }),
});

test("the benchmark runs, and its last line is JSON with every number", { timeout }, async ({ signal }) => {
  const args = ["test/bench/main.ts", ...shortest];
  const options = { cwd: projectFolder, signal, killSignal: "SIGTERM" } as const;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, options);
  const last = stdout.trimEnd().split("\n").at(-1) ?? "";
  expect(output.safeParse(JSON.parse(last)).error?.message).toBeUndefined();
  expect(stderr).toContain("changes over 2 stores");
});

test("an unknown part is refused with the usage", async () => {
  const args = ["test/bench/main.ts", "--only", "speed"];
  const failed = promisify(execFile)(process.execPath, args, { cwd: projectFolder, timeout: 20_000 });
  await expect(failed).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/no part "speed".*--only <part>/s),
  });
});
