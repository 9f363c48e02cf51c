import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { freePort } from "./free-port.ts";
import type { Program } from "./program.ts";
import { SetupError } from "./setup-error.ts";
import { type ServerRecipe, startServer } from "./start-server.ts";

let home: string;
beforeEach(async () => {
  home = await openTemporaryFolder("server", onTestFinished);
});

function recipe(script: string, ready: ServerRecipe["ready"]): ServerRecipe {
  const launch: Program["launch"] = async () => ({ command: "sh", args: ["-c", script] });
  const program = { kind: "shell", path: "sh", launch };
  return { program, dataDir: join(home, "data"), url: () => "", ready, remedy: "do something else" };
}

const options = () => ({
  dataDir: home,
  port: 0,
  log: () => undefined,
  logFile: join(home, "logs", "server.log"),
});

/** A readiness check that never succeeds; rejects when the signal aborts. */
const never: ServerRecipe["ready"] = (_url, _port, signal) => delay(60_000, undefined, { signal });

test("reports a server that exits before it is ready, with the last lines of its output and the remedy", async () => {
  const failure = await startServer(recipe("echo disk full; exit 3", never), options()).catch((error) => error);
  expect(failure).toBeInstanceOf(SetupError);
  expect(failure.message).toBe(
    `shell (sh) exited with code 3 before it was ready: see ${join(home, "logs", "server.log")}, or do something else.\n    disk full`,
  );
});

test("reports only the output of the current start, although the log file also contains earlier output", async () => {
  await startServer(recipe("echo first; exit 1", never), options()).catch(() => undefined);
  const failure = await startServer(recipe("echo second; exit 1", never), options()).catch((error) => error);
  expect(failure.message).toContain("second");
  expect(failure.message).not.toContain("first");
  expect(await readFile(join(home, "logs", "server.log"), "utf8")).toBe("first\nsecond\n");
});

test("stops the server and rejects with the abort reason when aborted during startup", async () => {
  const abort = new AbortController();
  let pid = "";
  const abortOnceStarted: ServerRecipe["ready"] = async (url, port, signal) => {
    while (pid === "") pid = (await readFile(join(home, "logs", "server.log"), "utf8")).trim();
    abort.abort(new Error("no longer needed"));
    await never(url, port, signal);
  };
  const starting = startServer(recipe("echo $$; exec sleep 60", abortOnceStarted), {
    ...options(),
    signal: abort.signal,
  });
  await expect(starting).rejects.toThrow("no longer needed");
  expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
});

test("rejects a port that is in use, naming it in the error", async () => {
  const port = await freePort();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
  await expect(startServer(recipe("", never), { ...options(), port })).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use: stop the program`,
  );
  await new Promise((resolve) => other.close(resolve));
});

test("rejects a program that does not exist", async () => {
  const missing = {
    ...recipe("", never),
    program: { kind: "x", path: "x", launch: async () => ({ command: "/x", args: [] }) },
  };
  await expect(startServer(missing, options())).rejects.toThrow(/^\/x could not be started \(spawn \/x ENOENT\)\.$/);
});

/** Returns whether a process is running; false for a zombie. */
async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return !status.includes(") Z ");
}

test.skipIf(process.platform === "win32")("stops the server when its parent process is killed", async () => {
  const module = import.meta.resolve("./child-server.ts");
  const script = `import { spawnServer } from ${JSON.stringify(module)};
    const child = await spawnServer({ command: "sleep", args: ["60"] }, ".", ${JSON.stringify(join(home, "log"))});
    console.log(child.pid);`;
  const starter = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output] = await once(starter.stdout, "data");
  const pid = Number(String(output));
  expect(await isRunning(pid)).toBe(true);
  starter.kill("SIGKILL");
  await expect.poll(() => isRunning(pid)).toBe(false);
});
