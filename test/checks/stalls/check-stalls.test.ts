import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";
import { eventually } from "../../harness/eventually.ts";
import { openTemporaryFolder } from "../../harness/files/temporary-folder.ts";
import { listProcesses } from "../../harness/process-tree.ts";
import { spawnProgram } from "../../harness/program/spawn-program.ts";

const counts = z.strictObject({ passed: z.int(), failed: z.int(), skipped: z.int(), stops: z.int() });

/** Writes a test in a folder of its own. @returns the folder, and the arguments of the check that runs it */
async function writeTest(body: string) {
  const folder = await openTemporaryFolder("stalls", onTestFinished);
  await writeFile(
    path.join(folder, "vitest.config.mjs"),
    "export default { test: { globals: true, testTimeout: 0 } };",
  );
  const file = `import { writeFileSync } from "node:fs";\ntest("the test", async () => {${body}});\n`;
  await writeFile(path.join(folder, "one.test.mjs"), file);
  const options = ["--root", folder, "--files", "one.test", "--stop-max-ms", "900", "--stop-every-ms", "100"];
  return { folder, args: ["test/checks/stalls/main.ts", ...options] };
}

test("stops and continues the processes of a run, whose tests pass", async ({ signal }) => {
  const { args } = await writeTest(`
    for (let last = performance.now(), now = last; now - last < 300; now = performance.now()) {
      last = now;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }`);
  const { code, output, counts: found } = await spawnProgram(counts, signal, ...args);
  expect(found, output).toMatchObject({ passed: 1, failed: 0 });
  expect(found.stops).toBeGreaterThan(0);
  expect(code).toBe(0);
});

test("fails if a test fails, and names it", async ({ signal }) => {
  const { args } = await writeTest("expect(1).toBe(2);");
  const { code, output, counts: found } = await spawnProgram(counts, signal, ...args);
  expect(found).toMatchObject({ passed: 0, failed: 1 });
  expect(output.trimEnd().split("\n").at(-1)).toBe("one.test.mjs: the test");
  expect(code).toBe(1);
});

test.for(["SIGTERM", "SIGKILL"] as const)("leaves no process stopped when %s ends it", async (name) => {
  const { folder, args } = await writeTest(`
    writeFileSync("written", String(process.pid));
    await new Promise((resolve) => setTimeout(resolve, 600_000));`);
  const env = { ...process.env, TMPDIR: folder };
  const check = execFile(process.execPath, args, { cwd: projectFolder, env });
  const exited = once(check, "exit");
  const processOfTest = async () => {
    const pid = Number(await readFile(path.join(folder, "written"), "utf8"));
    return (await listProcesses()).find((one) => one.pid === pid);
  };
  await eventually(async () => expect(await processOfTest()).toMatchObject({ isStopped: true }), { everyMs: 5 });
  check.kill(name);
  await exited;
  await eventually(async () => expect((await processOfTest())?.isStopped).not.toBe(true));
  // A check that is killed leaves its tests running.
  const left = await processOfTest();
  if (left !== undefined) process.kill(left.parent);
});
