import type { Target } from "../bare/bare-transfer.ts";
import type { Worker } from "../load/serve-load.ts";

/** What one worker transfers: certificates of one store. */
export interface WorkerTarget {
  readonly storeId: string;
  /** One after the other, and again from the first one; at least one. */
  readonly certificateIds: readonly string[];
}

/** A worker for each target; a transfer is one unit. @param transfer gives a certificate a new owner */
export function transferWorkers(
  targets: readonly WorkerTarget[],
  transfer: (target: Target, ownerEmail: string) => Promise<unknown>,
): Worker[] {
  let count = 0;
  return targets.map(({ storeId, certificateIds }) => {
    let next = 0;
    return async () => {
      const certificateId = certificateIds[next++ % certificateIds.length] ?? "";
      await transfer({ storeId, certificateId }, `owner${count++}@example.test`);
      return 1;
    };
  });
}
