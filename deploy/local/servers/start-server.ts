import { mkdir } from "node:fs/promises";
import { spawnReady } from "./child-server.ts";
import { claimPort, portIsFree } from "./free-port.ts";
import type { Program } from "./program.ts";
import type { RunningServer, ServerOptions } from "./running-server.ts";

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

async function startOnce(recipe: ServerRecipe, port: number, options: ServerOptions): Promise<RunningServer> {
  const { program, dataDir, remedy } = recipe;
  const url = recipe.url(port);
  const readiness = {
    wait: (signal: AbortSignal) => recipe.ready(url, port, signal),
    explain: (problem: string) => `${program.kind} (${program.path}) ${problem}: see ${options.logFile}, or ${remedy}.`,
  };
  const launch = await program.launch({ port, dataDir });
  const { pid, exited, stop, kill } = await spawnReady([launch, dataDir, options.logFile], readiness, options.signal);
  return { kind: program.kind, url, pid, exited, stop, kill };
}

/**
 * Starts a program and resolves when it is ready.
 *
 * @throws SetupError when the port is in use, or the program cannot be started, exits early or is not ready within
 * 90 s. In the last two cases, the message ends with the last lines of the server's output. After an error, no process
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
