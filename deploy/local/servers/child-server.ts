import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { execa } from "execa";
import { guardProcess } from "./guard-process.ts";
import type { Launch } from "./program.ts";
import { lastLinesOf } from "./run-command.ts";
import type { ServerExit } from "./running-server.ts";
import { SetupError } from "./setup-error.ts";

const stopWithinMs = 10_000;

/** A child process that runs a server. It is stopped when this process exits or is killed, except on Windows. */
export interface ChildServer {
  readonly pid: number;
  readonly exited: Promise<ServerExit>;
  hasExited(): boolean;
  /** Sends SIGTERM, and SIGKILL after 10 s; resolves when the process has exited. */
  stop(): Promise<void>;
  kill(): void;
  /** Returns the last six non-blank lines that the server has printed, each indented on a new line. */
  lastLines(): Promise<string>;
}

/**
 * Starts a server in `cwd` and appends its output to `logFile`. The server has a process group of its own, so Ctrl-C
 * reaches only this process, which then stops the servers in order.
 *
 * @throws SetupError when the command cannot be started
 */
export async function spawnServer(launch: Launch, cwd: string, logFile: string): Promise<ChildServer> {
  await mkdir(dirname(logFile), { recursive: true });
  const log = createWriteStream(logFile, { flags: "a" });
  await once(log, "open");
  const { size: logStart } = await stat(logFile);
  const child = execa(launch.command, launch.args, {
    cwd,
    env: launch.env ?? {},
    stdio: ["ignore", log, log],
    detached: true,
    forceKillAfterDelay: stopWithinMs,
    reject: false,
  });
  const exited = child.then(({ exitCode = null, signal = null }): ServerExit => ({ code: exitCode, signal }));
  log.destroy();
  const { pid } = child;
  if (pid === undefined) {
    const { originalMessage } = await child;
    throw new SetupError(`${launch.command} could not be started (${originalMessage}).`);
  }
  exited.then(guardProcess(pid));
  let isStopping = false;
  return {
    pid,
    exited,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    stop: async () => {
      // Sent only once: a second signal makes some servers exit without a clean shutdown.
      if (!isStopping) child.kill("SIGTERM");
      isStopping = true;
      await exited;
    },
    kill: () => void child.kill("SIGKILL"),
    lastLines: async () => lastLinesOf((await readFile(logFile)).subarray(logStart).toString("utf8")),
  };
}
