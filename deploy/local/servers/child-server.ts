import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { guardProcess } from "./guard-process.ts";
import type { Launch } from "./program.ts";
import { lastLinesOf } from "./run-command.ts";
import type { ServerExit } from "./running-server.ts";
import { SetupError, sentenceOf } from "./setup-error.ts";

const stopWithinMs = 10_000;

/** A server's process. It ends at the latest when this process ends, however that happens. */
export interface ChildServer {
  readonly pid: number;
  readonly exited: Promise<ServerExit>;
  hasEnded(): boolean;
  /** SIGTERM, after 10 s SIGKILL; resolves when the process is gone. */
  stop(): Promise<void>;
  /** SIGKILL. */
  kill(): void;
  /** The last lines this process wrote, indented, each on a new line. */
  lastLines(): Promise<string>;
}

async function openLog(logFile: string) {
  await mkdir(dirname(logFile), { recursive: true });
  const handle = await open(logFile, "a");
  return { handle, start: (await stat(logFile)).size };
}

/** Spawns a server in `cwd` with its output appended to `logFile`, in a process group of its own: Ctrl+C reaches us, and we stop it in order. */
export async function spawnServer(launch: Launch, cwd: string, logFile: string): Promise<ChildServer> {
  const { handle, start } = await openLog(logFile);
  const env = { ...process.env, ...launch.env };
  const stdio = ["ignore" as const, handle.fd, handle.fd];
  const child = spawn(launch.command, launch.args, { cwd, env, stdio, detached: true });
  // Listened for at once: a server that ends immediately must not end unnoticed.
  const exited = new Promise<ServerExit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  try {
    await once(child, "spawn");
  } catch (error) {
    throw new SetupError(`${launch.command} could not be started (${sentenceOf(error)}).`);
  } finally {
    await handle.close();
  }
  const { pid } = child;
  if (pid === undefined) throw new SetupError(`${launch.command} could not be started.`);
  child.on("error", () => undefined);
  exited.then(guardProcess(pid));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;

  async function stopOnce(): Promise<void> {
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), stopWithinMs);
    await exited;
    clearTimeout(timer);
  }
  let stopped: Promise<void> | undefined;
  return {
    pid,
    exited,
    hasEnded,
    stop: () => {
      stopped ??= stopOnce();
      return stopped;
    },
    kill: () => void child.kill("SIGKILL"),
    lastLines: async () => lastLinesOf((await readFile(logFile)).subarray(start).toString("utf8")),
  };
}
