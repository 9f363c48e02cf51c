import { partitionCount } from "#shared/nats/event-stream.ts";
import type { Clock } from "#shared/time/clock.ts";
import { backOffMs } from "./back-off.ts";
import type { PullEnd } from "./partition-pull.ts";
import type { Semaphore } from "./semaphore.ts";

/** What the loop of one partition needs. */
export interface PullPartitionOptions {
  readonly request: (count: number) => Promise<PullEnd>;
  readonly slots: Semaphore;
  readonly concurrencyMax: number;
  /** Resolves when pulling makes sense: NATS and the registry answer. */
  readonly whenReady: () => Promise<void>;
  /** The consumer is not there: makes it again. */
  readonly ensure: () => Promise<void>;
  readonly clock: Clock;
  readonly stopped: AbortSignal;
}

/** What a partition asks for that brings little: all of them together leave half of the slots to the busy ones. */
export function idleShare(concurrencyMax: number): number {
  return Math.max(1, Math.floor(concurrencyMax / (2 * partitionCount)));
}

/** Pulls from one partition until stopped. A partition that fills its requests asks for more each time. */
export async function pullPartition(options: PullPartitionOptions): Promise<void> {
  const { request, slots, whenReady, ensure, clock, stopped } = options;
  const least = idleShare(options.concurrencyMax);
  const most = Math.max(least, Math.floor(options.concurrencyMax / 2));
  let wanted = least;
  let failures = 0;
  while (!stopped.aborted) {
    await whenReady();
    const reserved = stopped.aborted ? 0 : await slots.reserve(wanted, stopped);
    if (stopped.aborted || reserved === 0) {
      slots.release(reserved);
      continue;
    }
    const end = await request(reserved);
    slots.release(end.unused);
    wanted = end.reason === "filled" ? Math.min(most, wanted * 2) : least;
    failures = end.reason === "failed" || end.reason === "missing" ? failures + 1 : 0;
    if (end.reason === "missing") await ensure();
    if (failures > 0) await clock.sleep(backOffMs(failures, 100, 5_000), stopped);
  }
}
