import { ServiceError } from "#shared/errors/service-error.ts";
import type { Change, Ledger } from "./ledger.ts";

interface Waiting {
  readonly change: Change<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Limits of a {@link CommitQueue}. */
export interface CommitQueueOptions {
  /** `updatedAt` values that one transaction takes at the most, unless a single change takes more. Default 500. */
  readonly groupMaxTimestamps?: number;
  /** Changes of one store that may wait; more are refused. Default 2,000. */
  readonly waitingMax?: number;
}

/**
 * Group commit: the changes of one store that arrive while a transaction runs go together into the next one, instead of
 * conflicting on the store's clock. Stores do not wait for each other.
 */
export class CommitQueue {
  readonly #ledger: Ledger;
  readonly #groupMaxTimestamps: number;
  readonly #waitingMax: number;
  readonly #queues = new Map<string, Waiting[]>();

  constructor(ledger: Ledger, options: CommitQueueOptions = {}) {
    this.#ledger = ledger;
    this.#groupMaxTimestamps = options.groupMaxTimestamps ?? 500;
    this.#waitingMax = options.waitingMax ?? 2_000;
  }

  /**
   * Commits a change.
   *
   * @returns its result, once it is durable
   * @throws ServiceError `unavailable` when too many changes of the store wait already, or as {@link Ledger.commit}
   */
  submit<Result>(storeId: string, change: Change<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      // The queue holds changes of many result types; each entry's resolve goes with its own change.
      const waiting: Waiting = { change, resolve: (result) => resolve(result as Result), reject };
      const queue = this.#queues.get(storeId);
      if (queue === undefined) {
        this.#queues.set(storeId, [waiting]);
        void this.#drain(storeId);
      } else if (queue.length >= this.#waitingMax) {
        reject(new ServiceError("unavailable", "The store has too many changes waiting. Try again shortly."));
      } else {
        queue.push(waiting);
      }
    });
  }

  async #drain(storeId: string): Promise<void> {
    // Lets calls of the same turn join the first group.
    await Promise.resolve();
    const queue = this.#queues.get(storeId) ?? [];
    while (queue.length > 0) await this.#commitGroup(storeId, takeGroup(queue, this.#groupMaxTimestamps));
    this.#queues.delete(storeId);
  }

  async #commitGroup(storeId: string, group: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#ledger.commit(
        storeId,
        group.map(({ change }) => change),
      );
      group.forEach((waiting, index) => {
        waiting.resolve(results[index]);
      });
    } catch (error) {
      for (const waiting of group) waiting.reject(error);
    }
  }
}

function takeGroup(queue: Waiting[], maxTimestamps: number): Waiting[] {
  let timestamps = 0;
  let count = 0;
  for (const { change } of queue) {
    timestamps += change.maxTimestamps;
    if (count > 0 && timestamps > maxTimestamps) break;
    count++;
  }
  return queue.splice(0, count);
}
