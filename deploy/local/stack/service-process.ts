import { mkdir } from "node:fs/promises";
import { connect } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type ChildServer, spawnServer } from "../servers/child-server.ts";
import { SetupError } from "../servers/setup-error.ts";
import { until } from "../servers/until.ts";

/** The project's folder. */
export const projectFolder = fileURLToPath(new URL("../../..", import.meta.url));

const answerWithinMs = 30_000;

/** One of our programs, to be run as a process of its own. */
export interface ServiceSpec {
  readonly name: string;
  /** Its main file, below the project's folder. */
  readonly script: string;
  /** Arguments for Node itself. */
  readonly nodeArgs?: readonly string[];
  /** Its configuration. */
  readonly env: Readonly<Record<string, string>>;
  /** Says whether it is ready; an error counts as "not yet". */
  readonly isReady: () => Promise<boolean>;
}

/**
 * Starts a service and resolves when it says that it is ready.
 *
 * @param logFile its output is appended here
 * @throws SetupError, with the last lines of its output, when it ends early or is not ready within 30 s
 */
export async function startService(
  spec: ServiceSpec,
  logFile: string,
  signal?: AbortSignal,
): Promise<ChildServer> {
  await mkdir(path.dirname(logFile), { recursive: true });
  const launch = { command: process.execPath, args: [...(spec.nodeArgs ?? []), spec.script], env: spec.env };
  const child = await spawnServer(launch, projectFolder, logFile);
  const ended = new AbortController();
  void child.exited.then(() => ended.abort());
  const signals = [ended.signal, AbortSignal.timeout(answerWithinMs), ...(signal ? [signal] : [])];
  try {
    await until(AbortSignal.any(signals), spec.isReady);
  } catch {
    const how = child.hasExited() ? "ended" : "is not ready";
    await child.stop();
    signal?.throwIfAborted();
    throw new SetupError(`${spec.name} ${how}: see ${logFile}.${await child.lastLines()}`);
  }
  return child;
}

/** Ready when its operations port says so. */
export async function answersReady(operationsPort: number): Promise<boolean> {
  const url = `http://127.0.0.1:${operationsPort}/readyz`;
  const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
  return response.ok;
}

/** Ready when it takes connections. */
export function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, timeout: 1_000 });
    const done = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => done(true));
    socket.once("timeout", () => done(false));
    socket.once("error", () => done(false));
  });
}
