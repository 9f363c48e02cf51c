import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Target } from "../baseline/transfer.ts";
import type { Worker } from "../load/serve-load.ts";

/** One element per worker: a store, and certificates of the store, which the worker transfers in rotation. */
export const workerTargets = z.array(z.object({ storeId: z.string(), certificateIds: z.array(z.string()).min(1) }));

/** The certificates of one worker. */
export type WorkerTarget = z.output<typeof workerTargets>[number];

/** Creates one worker per target; a transfer is one unit. */
export function transferWorkers(
  targets: readonly WorkerTarget[],
  transfer: (target: Target, ownerEmail: string) => Promise<unknown>,
): Worker[] {
  // A transfer to the current owner would change nothing, so no email address is used twice, not even across runs.
  const run = randomUUID();
  let count = 0;
  return targets.map(({ storeId, certificateIds }) => {
    let next = 0;
    return async () => {
      const certificateId = certificateIds[next++ % certificateIds.length] ?? "";
      await transfer({ storeId, certificateId }, `owner${count++}@${run}.example.test`);
      return 1;
    };
  });
}
