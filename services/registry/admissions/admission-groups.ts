import { ServiceError } from "#shared/errors/service-error.ts";
import { base64Of } from "#shared/text/base64.ts";
import { type Clock, steadyClock } from "#shared/time/clock.ts";
import { CallerWaits } from "../load/caller-waits.ts";

/** An API request that needs an admission decision. */
interface AdmissionRequest {
  /** Identifies the request's place in the rate-limit window. */
  readonly id: Uint8Array;
  /** See {@link AdmitOptions.remainingMs}. */
  readonly remainingMs: () => number;
}

/**
 * Decides in one operation whether to admit requests with the same key.
 *
 * @param limitMs maximum duration of the operation, in milliseconds
 * @returns one decision per request, in order
 */
type DecideGroup<D> = (keyHash: Uint8Array, ids: readonly Uint8Array[], limitMs: number) => Promise<readonly D[]>;

interface Waiting<D> {
  readonly request: AdmissionRequest;
  readonly decision: PromiseWithResolvers<D>;
  state: "waiting" | "deciding";
}

/** The operations for one key, which run one after the other. */
interface Lane<D> {
  /** The requests that wait for an operation, in the order of arrival. */
  readonly queue: Waiting<D>[];
  /** When the running operation started, in milliseconds. */
  startedAt: number;
}

interface AdmissionGroupsOptions {
  /** Maximum number of requests in a group. Default 100. */
  readonly groupMax?: number;
  /** Maximum time for one operation, in milliseconds. */
  readonly operationLimitMs: number;
  /** Monotonic clock. */
  readonly clock?: Clock;
}

/**
 * Decides admissions with group commit: one operation per key runs at a time, and the requests that arrive during an
 * operation are decided together by the next one, in the order of arrival. A request for an idle key is decided alone
 * and immediately. An operation that exceeds its time limit, for example because its connection is dead, does not block
 * the key: the next request starts another operation. Not a Batcher per key: callers can leave, an idle key keeps
 * nothing, and its request starts in the same turn.
 */
export class AdmissionGroups<D> {
  readonly #decide: DecideGroup<D>;
  readonly #options: AdmissionGroupsOptions;
  readonly #waits: CallerWaits;
  readonly #lanes = new Map<string, Lane<D>>();

  constructor(decide: DecideGroup<D>, options: AdmissionGroupsOptions) {
    this.#decide = decide;
    this.#options = options;
    this.#waits = new CallerWaits(options.clock);
  }

  /**
   * Returns the decision on a request.
   *
   * @throws the error of `remainingMs` if the caller disconnects or runs out of time before the request's operation
   * starts: the request then has no effect. ServiceError `unavailable` if this happens during the operation. Any error
   * of the operation.
   */
  add(keyHash: Uint8Array, request: AdmissionRequest): Promise<D> {
    const { operationLimitMs, clock = steadyClock } = this.#options;
    const waiting: Waiting<D> = { request, decision: Promise.withResolvers<D>(), state: "waiting" };
    const key = base64Of(keyHash);
    const lane = this.#lanes.get(key);
    if (lane === undefined) {
      void this.#run(key, keyHash, [waiting]);
      return waiting.decision.promise;
    }
    const decided = this.#wait(lane.queue, waiting);
    if (clock.now() - lane.startedAt > operationLimitMs) void this.#run(key, keyHash, lane.queue);
    return decided;
  }

  /** Replaces the key's lane, and runs the new lane until the queue is empty or the new lane is replaced. */
  async #run(key: string, keyHash: Uint8Array, queue: Waiting<D>[]): Promise<void> {
    const { groupMax = 100, clock = steadyClock } = this.#options;
    const lane = { queue, startedAt: clock.now() };
    this.#lanes.set(key, lane);
    while (queue.length > 0 && this.#lanes.get(key) === lane) {
      lane.startedAt = clock.now();
      await this.#settle(keyHash, queue.splice(0, groupMax));
      // Decided requests may make room in the load shedder for other requests with this key. During the pause, those
      // requests join the queue for the next operation.
      await new Promise(setImmediate);
    }
    if (this.#lanes.get(key) === lane) this.#lanes.delete(key);
  }

  async #settle(keyHash: Uint8Array, group: readonly Waiting<D>[]): Promise<void> {
    const { operationLimitMs } = this.#options;
    const leftMs = Math.max(...group.map(start));
    const started = group.filter(({ state }) => state === "deciding");
    if (started.length === 0) return;
    const ids = started.map(({ request }) => request.id);
    try {
      const decisions = await this.#decide(keyHash, ids, Math.min(operationLimitMs, leftMs));
      if (decisions.length !== ids.length) throw new Error(`${ids.length} requests got ${decisions.length} decisions`);
      for (const [index, { decision }] of started.entries()) decision.resolve(decisions[index] as D);
    } catch (error) {
      for (const { decision } of started) decision.reject(error);
    }
  }

  async #wait(queue: Waiting<D>[], waiting: Waiting<D>): Promise<D> {
    // A request that is already too late does not join the queue.
    waiting.request.remainingMs();
    queue.push(waiting);
    return this.#waits.wait(waiting.decision.promise, () => leaveWhenLate(queue, waiting));
  }
}

/** Marks a request as being decided, or rejects it if its caller no longer waits. @returns its remaining time, or 0 */
function start<D>(waiting: Waiting<D>): number {
  try {
    const leftMs = waiting.request.remainingMs();
    waiting.state = "deciding";
    return leftMs;
  } catch (error) {
    waiting.decision.reject(error);
    return 0;
  }
}

/**
 * Returns the remaining time. If there is none, removes the request from the queue.
 *
 * @throws as {@link AdmissionGroups.add} if no time is left
 */
function leaveWhenLate<D>(queue: Waiting<D>[], waiting: Waiting<D>): number {
  try {
    return waiting.request.remainingMs();
  } catch (error) {
    const index = queue.indexOf(waiting);
    if (index >= 0) queue.splice(index, 1);
    // The operation may still admit the request, but the error of `remainingMs` would mean that the request has no
    // effect.
    if (waiting.state === "deciding")
      throw new ServiceError("unavailable", "The request could not be authorized in time. Try again shortly.", {
        cause: error,
      });
    throw error;
  }
}
