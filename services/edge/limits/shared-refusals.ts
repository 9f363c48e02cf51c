import { LRUCache } from "lru-cache";
import { type Clock, steadyClock } from "#shared/time/clock.ts";

/** The calls for a key whose latest response was a refusal. */
interface KeyCalls<R> {
  /** Resolves when the latest call has ended, and never rejects; undefined before the first shared call. */
  current: Promise<unknown> | undefined;
  /**
   * Resolves to the refusal of the next call, or to undefined if that call is not refused. Undefined while no request
   * waits to make that call.
   */
  next: Promise<R | undefined> | undefined;
  /** The earliest time of the next call, in milliseconds on the monotonic clock. */
  nextAtMs: number;
}

// Refusals may be delayed, and the call is the most expensive part of a refusal.
const intervalMs = 10;
// About 5 MB when full.
const keysMax = 10_000;

/**
 * Lets concurrent requests share the refusal of one call, once a request with the same key has been refused. The
 * requests that arrive during a call, or within 10 ms of its start, wait. Once the call has ended and the 10 ms have
 * passed, the first of them makes a call. If that call is refused, all of them are refused, because calls of their own
 * at that time would have been refused too. Otherwise each of the others makes a call of its own. Every decision is
 * therefore as recent as if each request had made a call, and a client that ignores its refusals costs little.
 *
 * No request waits beyond the deadline of the request that makes the call; that request arrived first.
 */
export class SharedRefusals<R> {
  readonly #isRefusal: (response: R) => boolean;
  readonly #clock: Clock;
  readonly #refusedKeys = new LRUCache<string, KeyCalls<R>>({ max: keysMax });

  /** @param clock a monotonic clock */
  constructor(isRefusal: (response: R) => boolean, clock: Clock = steadyClock) {
    this.#isRefusal = isRefusal;
    this.#clock = clock;
  }

  /**
   * Returns the response of `call`, or the refusal of a call that another request made after this request arrived.
   *
   * @throws the error of `call`
   */
  async run(key: string, call: () => Promise<R>): Promise<R> {
    const calls = this.#refusedKeys.get(key);
    if (calls === undefined) return this.#note(key, await call());
    if (calls.next === undefined) return this.#callForAll(key, calls, call);
    const refusal = await calls.next;
    return refusal ?? this.#note(key, await call());
  }

  async #callForAll(key: string, calls: KeyCalls<R>, call: () => Promise<R>): Promise<R> {
    const { promise, resolve } = Promise.withResolvers<R | undefined>();
    calls.next = promise;
    await calls.current;
    const waitMs = calls.nextAtMs - this.#clock.now();
    if (waitMs > 0) await this.#clock.sleep(waitMs);
    calls.nextAtMs = this.#clock.now() + intervalMs;
    calls.current = promise;
    calls.next = undefined;
    let refusal: R | undefined;
    try {
      const response = this.#note(key, await call());
      if (this.#isRefusal(response)) refusal = response;
      return response;
    } finally {
      resolve(refusal);
    }
  }

  #note(key: string, response: R): R {
    if (!this.#isRefusal(response)) this.#refusedKeys.delete(key);
    else if (!this.#refusedKeys.has(key))
      this.#refusedKeys.set(key, { current: undefined, next: undefined, nextAtMs: 0 });
    return response;
  }
}
