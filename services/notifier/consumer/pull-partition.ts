import { Loop } from "#shared/lifecycle/loop.ts";
import { partitionCount } from "#shared/nats/event-stream.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { PullEnd } from "./partition-pull.ts";
import type { Semaphore } from "./semaphore.ts";

/** The dependencies and limits of {@link pullPartition}. */
interface PullPartitionOptions {
  readonly request: (count: number) => Promise<PullEnd>;
  readonly slots: Semaphore;
  readonly concurrencyMax: number;
  /** Resolves once NATS and the registry are available, or when stopped. */
  readonly whenReady: () => Promise<void>;
  /** Creates the partition's consumer if it does not exist. */
  readonly replaceMissing: () => Promise<void>;
  readonly clock: Clock;
}

/** Returns the batch size of an idle partition: sixteen such partitions leave at least half of the slots free. */
export function idleBatchSize(concurrencyMax: number): number {
  return Math.max(1, Math.floor(concurrencyMax / (2 * partitionCount)));
}

/**
 * Pulls from one partition until the returned loop is stopped. Each filled request doubles the batch size up to half of
 * all slots; any other result resets it.
 */
export function pullPartition(options: PullPartitionOptions): Loop {
  const { request, slots, whenReady, replaceMissing, clock } = options;
  const batchMin = idleBatchSize(options.concurrencyMax);
  const batchMax = Math.max(batchMin, Math.floor(options.concurrencyMax / 2));
  let batch = batchMin;
  const step = async (stopping: AbortSignal) => {
    await whenReady();
    const acquired = stopping.aborted ? 0 : await slots.acquire(batch, stopping);
    if (stopping.aborted || acquired === 0) {
      slots.release(acquired);
      return 0;
    }
    const { reason, unused } = await request(acquired);
    slots.release(unused);
    batch = reason === "filled" ? Math.min(batchMax, batch * 2) : batchMin;
    if (reason === "missing") await replaceMissing();
    if (reason === "failed" || reason === "missing") throw new Error(`the pull ended: ${reason}`);
    return 0;
  };
  const loop = new Loop({ step, failurePauseMs: { first: 100, max: 5_000 }, clock });
  loop.start();
  return loop;
}
