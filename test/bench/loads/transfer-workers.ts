import type { Target } from "../baseline/transfer.ts";
import type { Worker } from "../load/serve-load.ts";

/** The certificates of one worker, all of one store. */
export interface WorkerTarget {
  readonly storeId: string;
  /** Transferred in turn; at least one. */
  readonly certificateIds: readonly string[];
}

/** Creates one worker per target; a transfer is one unit. */
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
