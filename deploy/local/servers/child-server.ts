import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { execa } from "execa";
import { guardProcess } from "./guard-process.ts";
import type { Launch } from "./program.ts";
import { lastLinesOf } from "./run-command.ts";
import { exitText, type ServerExit } from "./running-server.ts";
import { SetupError } from "./setup-error.ts";

// Longer than the grace periods of the services, which end their work when they are stopped.
const stopWithinMs = 60_000;
// A busy machine takes long to start several programs at once. One that cannot start exits. Shorter than the tests' own
// limit of 120 s, which would hide the error with the last lines of the output.
const readyWithinMs = 90_000;

/** A child process that runs a server. It is stopped when this process exits or is killed, except on Windows. */
export interface ChildServer {
  readonly pid: number;
  readonly exited: Promise<ServerExit>;
  hasExited(): boolean;
  /** Sends SIGTERM, and SIGKILL after 60 s; resolves when the process has exited. */
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

/** When a server counts as started, and what is said of one that does not start. */
interface Readiness {
  /** Resolves when the server is ready; rejects when the signal aborts. */
  readonly wait: (signal: AbortSignal) => Promise<void>;
  /** Returns the sentence of the error. @param problem such as `exited with code 1 before it was ready` */
  readonly explain: (problem: string) => string;
}

/**
 * Starts a server like {@link spawnServer}, and resolves when it is ready.
 *
 * @throws SetupError with the last lines of the output when the server exits early or is not ready within 90 s; the
 * reason of `signal` when the signal aborts. No process remains.
 */
export async function spawnReady(
  start: Parameters<typeof spawnServer>,
  { wait, explain }: Readiness,
  signal?: AbortSignal,
): Promise<ChildServer> {
  const child = await spawnServer(...start);
  const exit = new AbortController();
  child.exited.then(() => exit.abort());
  const signals = [exit.signal, AbortSignal.timeout(readyWithinMs), ...(signal ? [signal] : [])];
  try {
    await wait(AbortSignal.any(signals));
    // If the server has exited, another process on its port answered.
    if (child.hasExited()) throw new Error("exited");
    return child;
  } catch (error) {
    const problem = child.hasExited()
      ? `exited ${exitText(await child.exited)} before it was ready`
      : `was not ready within ${readyWithinMs / 1_000} s`;
    const explained = new SetupError(explain(problem) + (await child.lastLines()));
    await child.stop();
    signal?.throwIfAborted();
    throw error instanceof SetupError ? error : explained;
  }
}
