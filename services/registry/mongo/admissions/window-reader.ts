import type { Binary } from "mongodb";
import { Batcher } from "#shared/batching/batcher.ts";
import { ServiceError } from "#shared/errors/service-error.ts";
import { base64Of } from "#shared/text/base64.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { waitAtMost } from "#shared/time/wait-at-most.ts";
import type { RateLimitPolicy, WindowState } from "../../admissions/admission.ts";
import { CallerWaits } from "../../load/caller-waits.ts";
import type { Plan } from "../../values/store.ts";
import type { Collections } from "../documents/collections.ts";
import type { DatabaseTime } from "../driver/database-time.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";
import { windowPipeline } from "./admission-pipelines.ts";

/** The rate-limit window of the store that owns a valid key. */
export interface WindowView extends WindowState {
  /** The store's id. */
  readonly _id: string;
  readonly plan: Plan;
}

interface WindowRequest {
  readonly hash: Binary;
  /** The hash in Base64. */
  readonly key: string;
  readonly remainingMs: () => number;
}

// A refusal is not urgent, and the read is its most expensive part.
const pace = { intervalMs: 5, burst: 1, clock: steadyClock };

// Time for the reply of a read that the server has ended at its time limit.
const replyGraceMs = 250;

/**
 * Reads windows without changing them. Only one read runs at a time, reads start at least 5 ms apart, and each serves
 * up to 500 waiting requests, so that a flood of requests puts little load on the database. Each request receives the
 * result of a read that started after the request arrived.
 */
export class WindowReader {
  readonly #access: Collections["access"];
  readonly #policy: RateLimitPolicy;
  readonly #databaseTime: DatabaseTime;
  readonly #waits = new CallerWaits();
  readonly #reads = new Batcher((requests: readonly WindowRequest[]) => this.#readAll(requests), { pace });

  constructor(access: Collections["access"], policy: RateLimitPolicy, databaseTime: DatabaseTime) {
    this.#access = access;
    this.#policy = policy;
    this.#databaseTime = databaseTime;
  }

  /**
   * @param remainingMs returns the caller's remaining time, in milliseconds; once it throws, it must always throw
   * @returns undefined when the key is unknown or no longer valid
   * @throws the error of `remainingMs`, even while the read continues for other callers
   */
  async read(hash: Binary, remainingMs: () => number): Promise<WindowView | undefined> {
    remainingMs();
    const view = await this.#waits.wait(
      this.#reads.add({ hash, key: base64Of(hash.buffer), remainingMs }),
      remainingMs,
    );
    // Throws if the caller has disconnected or run out of time during the read.
    remainingMs();
    return view;
  }

  async #readAll(requests: readonly WindowRequest[]): Promise<(WindowView | undefined)[]> {
    const timed = requests.map(({ hash, key, remainingMs }) => ({ hash, key, leftMs: leftOf(remainingMs) }));
    const waiting = timed.filter(({ leftMs }) => leftMs > 0);
    if (waiting.length === 0) return requests.map(() => undefined);
    const distinct = new Map(waiting.map(({ hash, key }) => [key, hash]));
    const timeLimitMs = Math.min(operationTimeLimitMs, Math.max(...waiting.map(({ leftMs }) => leftMs)));
    // Without a reply, for example from a frozen server, all refused keys would wait for this read until the socket's
    // time limit.
    const read = this.#readDistinct([...distinct.values()], timeLimitMs);
    const views = await waitAtMost(read, timeLimitMs + replyGraceMs, steadyClock);
    if (views === undefined) throw new ServiceError("unavailable", "The database does not respond. Try again later.");
    return requests.map(({ key }) => views.get(key));
  }

  async #readDistinct(hashes: readonly Binary[], timeLimitMs: number): Promise<ReadonlyMap<string, WindowView>> {
    const pipeline = windowPipeline(this.#policy, hashes, this.#databaseTime());
    // Overrides the connection string's read preference, because the limit depends on the primary's clock.
    const options = { maxTimeMS: timeLimitMs, readPreference: "primary" } as const;
    const found = await this.#access
      .aggregate<WindowView & { validHashes: readonly Binary[] }>(pipeline, options)
      .toArray();
    return new Map(found.flatMap((view) => view.validHashes.map((hash) => [base64Of(hash.buffer), view] as const)));
  }
}

/** Returns the remaining time, or 0 if `remainingMs` throws; the request's own `read` then throws the error. */
function leftOf(remainingMs: () => number): number {
  try {
    return remainingMs();
  } catch {
    return 0;
  }
}
