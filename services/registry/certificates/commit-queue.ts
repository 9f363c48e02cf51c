import { ServiceError } from "#shared/errors/service-error.ts";
import { commitInParts } from "./commit-in-parts.ts";
import type { Change, Ledger } from "./ledger.ts";
import { type Refusal, unwrap } from "./refusal.ts";

interface PendingChange {
  readonly change: Change<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Limits of a {@link CommitQueue}. */
export interface CommitQueueOptions {
  /** Maximum number of `updatedAt` values per transaction; a single larger change still commits alone. Default 500. */
  readonly maxGroupTimestamps?: number;
  /** Maximum number of waiting changes per store; further changes are rejected. Default 2,000. */
  readonly maxPending?: number;
}

/**
 * Group commit: changes of one store that arrive while a transaction runs are committed together in the next
 * transaction instead of conflicting on the store's clock. Stores do not wait for each other.
 */
export class CommitQueue {
  readonly #ledger: Ledger;
  readonly #maxGroupTimestamps: number;
  readonly #maxPending: number;
  readonly #queues = new Map<string, PendingChange[]>();

  constructor(ledger: Ledger, options: CommitQueueOptions = {}) {
    this.#ledger = ledger;
    this.#maxGroupTimestamps = options.maxGroupTimestamps ?? 500;
    this.#maxPending = options.maxPending ?? 2_000;
  }

  /**
   * Commits a change.
   *
   * @returns its result, once it is durable
   * @throws ServiceError for a refusal; `unavailable` when the store's queue is full; otherwise as {@link Ledger.commit}
   */
  submit<Result>(storeId: string, change: Change<Result | Refusal>): Promise<Result> {
    return new Promise<Result | Refusal>((resolve, reject) => {
      // The cast is safe: each entry's `resolve` receives only the result of the entry's own change.
      const pending: PendingChange = { change, resolve: (result) => resolve(result as Result), reject };
      const queue = this.#queues.get(storeId);
      if (queue === undefined) {
        this.#queues.set(storeId, [pending]);
        void this.#drain(storeId);
      } else if (queue.length >= this.#maxPending) {
        reject(new ServiceError("unavailable", "The store has too many pending changes. Try again shortly."));
      } else {
        queue.push(pending);
      }
    }).then(unwrap);
  }

  async #drain(storeId: string): Promise<void> {
    // Lets calls of the same event loop turn join the first group.
    await Promise.resolve();
    const queue = this.#queues.get(storeId) ?? [];
    while (queue.length > 0) await this.#commitGroup(storeId, takeGroup(queue, this.#maxGroupTimestamps));
    this.#queues.delete(storeId);
  }

  async #commitGroup(storeId: string, group: readonly PendingChange[]): Promise<void> {
    try {
      const changes = group.map(({ change }) => change);
      await commitInParts(this.#ledger, storeId, changes, (index, result) => group[index]?.resolve(result));
    } catch (error) {
      for (const pending of group) pending.reject(error);
    }
  }
}

function takeGroup(queue: PendingChange[], maxTimestamps: number): PendingChange[] {
  let timestamps = 0;
  let count = 0;
  for (const { change } of queue) {
    timestamps += change.maxTimestamps;
    if (count > 0 && timestamps > maxTimestamps) break;
    count++;
  }
  return queue.splice(0, count);
}
