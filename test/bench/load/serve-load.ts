import type { ZodType } from "zod";
import { answerParent } from "../process/answer-parent.ts";
import { type LoadRound, loadRequest } from "./messages.ts";

/** Does one piece of work; one is under way at a time. @returns how many units were done */
export type Worker = () => Promise<number>;

/**
 * Makes this process a load: it opens what it was given and lets its workers work side by side, in rounds, whenever the
 * process that forked it says so. It ends with that process.
 */
export function serveLoad<Setup>(schema: ZodType<Setup>, open: (setup: Setup) => Promise<Worker[]>): void {
  let workers: Worker[] = [];
  answerParent(async (message) => {
    const request = loadRequest.parse(message);
    if (request.kind === "round") return workFor(workers, request.durationMs);
    workers = await open(schema.parse(request.setup));
    return undefined;
  });
}

/** Works until the time is up; what was begun is finished and counts, and so does the time that it takes. */
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
