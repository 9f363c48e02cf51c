import { z } from "zod";
import type { LoadRound } from "./load-process.ts";

/** Does one piece of work; a worker's calls do not overlap. @returns the number of completed units */
export type Worker = () => Promise<number>;

/**
 * Turns this process into a load generator. The first message from the parent process contains the setup; each later
 * message starts a round and contains its duration in milliseconds. In a round, all workers run concurrently. The
 * process exits with its parent.
 */
export function serveLoad<Setup>(schema: z.ZodType<Setup>, open: (setup: Setup) => Promise<Worker[]>): void {
  let workers: Worker[] | undefined;
  const handle = async (envelope: unknown): Promise<LoadRound> => {
    const { message } = z.object({ message: z.unknown() }).parse(envelope);
    if (workers !== undefined) return workFor(workers, z.number().parse(message));
    workers = await open(schema.parse(message));
    return { units: 0, elapsedMs: 0 };
  };
  const textOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.on("message", (envelope) => {
    handle(envelope)
      .catch((error: unknown) => ({ failure: textOf(error) }))
      .then((reply) => process.send?.(reply));
  });
  process.once("disconnect", () => process.exit());
}

/** Runs all workers for `durationMs`, then completes the work in progress, whose units and time also count. */
async function workFor(workers: readonly Worker[], durationMs: number): Promise<LoadRound> {
  const startedAt = performance.now();
  const deadline = startedAt + durationMs;
  let units = 0;
  const loop = async (work: Worker) => {
    while (performance.now() < deadline) {
      const done = await work();
      units += done;
    }
  };
  await Promise.all(workers.map(loop));
  return { units, elapsedMs: performance.now() - startedAt };
}
