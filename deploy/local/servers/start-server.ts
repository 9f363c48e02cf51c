import { mkdir } from "node:fs/promises";
import { type ChildServer, spawnServer } from "./child-server.ts";
import { claimPort, portIsFree } from "./free-port.ts";
import type { Program } from "./program.ts";
import type { RunningServer, ServerOptions } from "./running-server.ts";
import { SetupError } from "./setup-error.ts";

const readyWithinMs = 30_000;
const attemptsMax = 3;

/** A server program with its readiness check. */
export interface ServerRecipe {
  readonly program: Program;
  readonly dataDir: string;
  url(port: number): string;
  /** Resolves when the server is ready; rejects when the signal aborts. */
  ready(url: string, port: number, signal: AbortSignal): Promise<void>;
  /** The remedy when this server does not start, as a clause. */
  readonly remedy: string;
}

async function explain(recipe: ServerRecipe, child: ChildServer, logFile: string, error: unknown): Promise<unknown> {
  if (error instanceof SetupError) return error;
  const { program, remedy } = recipe;
  const rest = `see ${logFile}, or ${remedy}.${await child.lastLines()}`;
  if (!child.hasExited()) {
    return new SetupError(`${program.kind} (${program.path}) was not ready within ${readyWithinMs / 1000} s: ${rest}`);
  }
  const { code, signal } = await child.exited;
  const how = code === null ? `on ${signal}` : `with code ${code}`;
  return new SetupError(`${program.kind} (${program.path}) exited ${how} before it was ready: ${rest}`);
}

async function startOnce(recipe: ServerRecipe, port: number, options: ServerOptions): Promise<RunningServer> {
  const { program, dataDir } = recipe;
  const launch = await program.launch({ port, dataDir });
  const child = await spawnServer(launch, dataDir, options.logFile);
  const url = recipe.url(port);
  const exit = new AbortController();
  const signals = [exit.signal, AbortSignal.timeout(readyWithinMs), ...(options.signal ? [options.signal] : [])];
  child.exited.then(() => exit.abort());
  try {
    await recipe.ready(url, port, AbortSignal.any(signals));
    // If the server has exited, another process on this port answered the readiness check.
    if (child.hasExited()) throw new Error("exited");
  } catch (error) {
    const explained = await explain(recipe, child, options.logFile, error);
    await child.stop();
    options.signal?.throwIfAborted();
    throw explained;
  }
  const { pid, exited, stop, kill } = child;
  return { kind: program.kind, url, pid, exited, stop, kill };
}

/**
 * Starts a program and resolves when it is ready.
 *
 * @throws SetupError when the port is in use, or the program cannot be started, exits early or is not ready within
 * 30 s. In the last two cases, the message ends with the last lines of the server's output. After an error, no process
 * remains. When `signal` aborts, its reason is thrown.
 */
export async function startServer(recipe: ServerRecipe, options: ServerOptions): Promise<RunningServer> {
  await mkdir(recipe.dataDir, { recursive: true });
  for (let attempt = 1; ; attempt++) {
    options.signal?.throwIfAborted();
    const port = await claimPort(options.port);
    try {
      return await startOnce(recipe, port, options);
    } catch (error) {
      // Another process may take a free port before the server listens on it.
      const lostPort = options.port === 0 && !(await portIsFree(port));
      if (!lostPort || attempt === attemptsMax) throw error;
    }
  }
}
