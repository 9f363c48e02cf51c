import { mkdir } from "node:fs/promises";
import { type ChildServer, spawnServer } from "./child-server.ts";
import { claimPort, portIsFree } from "./free-port.ts";
import type { Program } from "./program.ts";
import type { RunningServer, ServerOptions } from "./running-server.ts";
import { SetupError } from "./setup-error.ts";

const answerWithinMs = 30_000;
const startsMax = 3;

/** How to start one program and how to see that it serves. */
export interface ServerRecipe {
  readonly program: Program;
  /** Folder of this program's data. */
  readonly dataDir: string;
  url(port: number): string;
  /** Resolves when the server does its work, rejects when the signal aborts. */
  ready(url: string, port: number, signal: AbortSignal): Promise<void>;
  /** What to do when this server does not work, a clause without full stop. */
  readonly remedy: string;
}

async function explain(
  recipe: ServerRecipe,
  child: ChildServer,
  logFile: string,
  error: unknown,
): Promise<unknown> {
  if (error instanceof SetupError) return error;
  const { program, remedy } = recipe;
  const rest = `see ${logFile}, or ${remedy}.${await child.lastLines()}`;
  if (!child.hasEnded()) {
    return new SetupError(
      `${program.kind} (${program.path}) did not answer within ${answerWithinMs / 1000} s: ${rest}`,
    );
  }
  const { code, signal } = await child.exited;
  const how = code === null ? `by ${signal}` : `with code ${code}`;
  return new SetupError(`${program.kind} (${program.path}) ended ${how} before it answered: ${rest}`);
}

async function startOnce(recipe: ServerRecipe, port: number, options: ServerOptions): Promise<RunningServer> {
  const { program, dataDir } = recipe;
  const launch = await program.launch({ port, dataDir });
  const child = await spawnServer(launch, dataDir, options.logFile);
  const url = recipe.url(port);
  const over = new AbortController();
  const signals = [
    over.signal,
    AbortSignal.timeout(answerWithinMs),
    ...(options.signal ? [options.signal] : []),
  ];
  child.exited.then(() => over.abort());
  try {
    await recipe.ready(url, port, AbortSignal.any(signals));
    // Whatever answered, it was not this process.
    if (child.hasEnded()) throw new Error("ended");
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
 * Starts a program and resolves when it serves. A port in use, an early end or no answer within 30 s is one sentence (SetupError)
 * with the last lines of the server's output and the way out; nothing of it keeps running then.
 */
export async function startServer(recipe: ServerRecipe, options: ServerOptions): Promise<RunningServer> {
  await mkdir(recipe.dataDir, { recursive: true });
  for (let start = 1; ; start++) {
    options.signal?.throwIfAborted();
    const port = await claimPort(options.port);
    try {
      return await startOnce(recipe, port, options);
    } catch (error) {
      // A free port may be taken by somebody else before the server gets it: then another one.
      const lostPort = options.port === 0 && !(await portIsFree(port));
      if (!lostPort || start === startsMax) throw error;
    }
  }
}
