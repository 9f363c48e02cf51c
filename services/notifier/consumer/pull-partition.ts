import { partitionCount } from "#shared/nats/event-stream.ts";
import { backOffMs } from "#shared/retry/back-off.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { PullEnd } from "./partition-pull.ts";
import type { Semaphore } from "./semaphore.ts";

/** The dependencies and limits of {@link pullPartition}. */
export interface PullPartitionOptions {
  readonly request: (count: number) => Promise<PullEnd>;
  readonly slots: Semaphore;
  readonly concurrencyMax: number;
  /** Resolves once NATS and the registry are available, or when stopped. */
  readonly whenReady: () => Promise<void>;
  /** Creates the partition's consumer if it does not exist. */
  readonly replaceMissing: () => Promise<void>;
  readonly clock: Clock;
  readonly stopped: AbortSignal;
}

/** Returns the batch size of an idle partition: sixteen such partitions leave at least half of the slots free. */
export function idleBatchSize(concurrencyMax: number): number {
  return Math.max(1, Math.floor(concurrencyMax / (2 * partitionCount)));
}

/**
 * Pulls from one partition until stopped. Each filled request doubles the batch size up to half of all slots; any other
 * result resets it.
 */
export async function pullPartition(options: PullPartitionOptions): Promise<void> {
  const { request, slots, whenReady, replaceMissing, clock, stopped } = options;
  const batchMin = idleBatchSize(options.concurrencyMax);
  const batchMax = Math.max(batchMin, Math.floor(options.concurrencyMax / 2));
  let batch = batchMin;
  let failures = 0;
  while (!stopped.aborted) {
    await whenReady();
    const acquired = stopped.aborted ? 0 : await slots.acquire(batch, stopped);
    if (stopped.aborted || acquired === 0) {
      slots.release(acquired);
      continue;
    }
    const { reason, unused } = await request(acquired);
    slots.release(unused);
    batch = reason === "filled" ? Math.min(batchMax, batch * 2) : batchMin;
    if (reason === "missing") await replaceMissing();
    if (reason === "failed" || reason === "missing") await clock.sleep(backOffMs(failures++, 100, 5_000), stopped);
    else failures = 0;
  }
}
