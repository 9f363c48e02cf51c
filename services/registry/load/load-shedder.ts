import { addAbortListener } from "node:events";
import { Bulkhead, type BulkheadBounds, type Ticket } from "#shared/limits/bulkhead.ts";
import type { Clock } from "#shared/time/clock.ts";
import { remainingTime } from "#shared/time/remaining-time.ts";
import type { CallLimits } from "./call-limits.ts";
import { CallerWaits } from "./caller-waits.ts";
import { LoadShedError, type ShedReason } from "./load-shed-error.ts";
import { ServiceTime } from "./service-time.ts";

/** A call whose work the {@link LoadShedder} runs: its store, its deadline and its caller's signal. */
interface LoadRequest extends CallLimits {
  /** The store that the work belongs to, or any string that identifies the caller until the store is known. */
  readonly store: string;
}

interface LoadShedderOptions extends BulkheadBounds {
  /** Monotonic clock by which deadlines are measured. */
  readonly clock: Clock;
  /** Called for each request that is dropped. */
  readonly onShed?: (reason: ShedReason) => void;
}

interface WaitingCall extends Ticket {
  readonly deadline: number;
  /** The latest time to start. */
  readonly startBy: number;
  /** Ends the wait: the bulkhead has started the call, or its caller has left. */
  endWait(): void;
}

// Work that ends after its deadline is wasted. A call therefore waits for at most this share of the time until its
// deadline. A call that had to wait starts only if its work would end in time even if it took `safetyFactor` times as
// long as expected.
const waitShareMax = 0.5;
const safetyFactor = 2;

/**
 * Bounds the work in flight, in total and per store. Work that does not fit waits in a fair queue, for at most half of
 * the time until its deadline. Drops work for which the queue has no room, work whose caller has disconnected or whose
 * deadline has passed, and waiting work whose result would probably come too late. Work that has started is not
 * interrupted; it may drop itself by throwing a LoadShedError.
 */
export class LoadShedder {
  readonly #clock: Clock;
  readonly #onShed: (reason: ShedReason) => void;
  readonly #bulkhead: Bulkhead<WaitingCall>;
  readonly #serviceTime = new ServiceTime();
  readonly #waits: CallerWaits;

  constructor({ clock, onShed = () => undefined, ...bounds }: LoadShedderOptions) {
    this.#clock = clock;
    this.#onShed = onShed;
    this.#bulkhead = new Bulkhead(bounds);
    this.#waits = new CallerWaits(clock);
  }

  /** The number of units of work in flight. */
  get inFlight(): number {
    return this.#bulkhead.inFlight;
  }

  /** The number of calls waiting to start. */
  get waiting(): number {
    return this.#bulkhead.waiting;
  }

  /**
   * Runs the work as soon as the bounds allow it.
   *
   * @returns the result of the work
   * @throws LoadShedError, an `unavailable` ServiceError, if the call is dropped before the work starts or by the work
   * itself; otherwise the work's error
   */
  async run<T>(request: LoadRequest, work: () => Promise<T>): Promise<T> {
    const { store, deadline, signal } = request;
    const now = this.#clock.now();
    const left = remainingTime(deadline, now, signal);
    if (typeof left === "string") throw this.#shed(left);
    const { promise: turn, resolve: endWait } = Promise.withResolvers<void>();
    const call: WaitingCall = { store, deadline, startBy: now + waitShareMax * (deadline - now), endWait };
    const arrival = this.#bulkhead.arrive(call);
    if (arrival === "refused") throw this.#shed("queue_full");
    if (arrival === "queued") await this.#waitForTurn(call, turn, signal);
    const startedAt = this.#clock.now();
    let isCutShort = false;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LoadShedError)) throw error;
      isCutShort = error.reason === "caller_left";
      throw this.#shed(error.reason === "deadline" ? "too_late" : error.reason);
    } finally {
      const durationMs = this.#clock.now() - startedAt;
      // Work that ends because its caller has left would have taken longer, so it can only raise the estimate.
      if (!isCutShort || durationMs > this.#serviceTime.expectedMs) this.#serviceTime.observe(durationMs);
      this.#release(call);
    }
  }

  async #waitForTurn(call: WaitingCall, turn: Promise<void>, signal: AbortSignal): Promise<void> {
    const check = (waitMs = 0) => {
      if (!this.#canStartAt(this.#clock.now() + waitMs, call)) throw new LoadShedError("deadline");
      if (signal.aborted) throw new LoadShedError("caller_left");
    };
    let hasLeft = false;
    // A caller that leaves frees its place in the queue at once, and not only at the next check.
    using _listener = addAbortListener(signal, () => {
      hasLeft = this.#bulkhead.leave(call);
      if (hasLeft) call.endWait();
    });
    try {
      check(this.#bulkhead.roundsBefore(call.store) * this.#serviceTime.expectedMs);
      await this.#waits.wait(turn, check);
      // The place may have become free too late, or after the caller had left.
      check();
    } catch (error) {
      if (!hasLeft && !this.#bulkhead.leave(call)) this.#release(call);
      throw error instanceof LoadShedError ? this.#shed(error.reason) : error;
    }
  }

  #canStartAt(time: number, { startBy, deadline }: WaitingCall): boolean {
    return time <= startBy && time + safetyFactor * this.#serviceTime.expectedMs <= deadline;
  }

  #release(call: WaitingCall): void {
    this.#bulkhead.finish(call);
    for (let next = this.#bulkhead.startNext(); next !== undefined; next = this.#bulkhead.startNext()) next.endWait();
  }

  #shed(reason: ShedReason): LoadShedError {
    this.#onShed(reason);
    return new LoadShedError(reason);
  }
}
