import { addAbortListener } from "node:events";
import { Bulkhead, type BulkheadBounds, type Ticket } from "#shared/limits/bulkhead.ts";
import type { Clock } from "#shared/time/clock.ts";
import { remainingTime } from "#shared/time/remaining-time.ts";
import type { CallLimits } from "./call-limits.ts";
import { LoadShedError, type ShedReason } from "./load-shed-error.ts";
import { ServiceTime } from "./service-time.ts";

/** A call whose work the {@link LoadShedder} runs: its store, its deadline and its caller's signal. */
export interface LoadRequest extends CallLimits {
  /** The store that the work belongs to, or any string that identifies the caller until the store is known. */
  readonly store: string;
}

/** Dependencies and bounds of a {@link LoadShedder}. */
export interface LoadShedderOptions extends BulkheadBounds {
  /** Monotonic clock by which deadlines are measured. */
  readonly clock: Clock;
  /** Called for each request that is dropped. */
  readonly onShed?: (reason: ShedReason) => void;
}

interface WaitingCall extends Ticket {
  readonly deadline: number;
  /** The latest time to start. */
  readonly startBy: number;
  settle(reason: ShedReason | undefined): void;
}

const sweepIntervalMs = 25;
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
  // The waiting calls with a deadline, for the sweep.
  readonly #waiting = new Set<WaitingCall>();
  #isSweeping = false;

  constructor({ clock, onShed = () => undefined, ...bounds }: LoadShedderOptions) {
    this.#clock = clock;
    this.#onShed = onShed;
    this.#bulkhead = new Bulkhead(bounds);
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
    const { promise: turn, resolve: settle } = Promise.withResolvers<ShedReason | undefined>();
    const call: WaitingCall = { store, deadline, startBy: now + waitShareMax * (deadline - now), settle };
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
      // Work that ends because its caller has left does not show how long the next work takes.
      if (!isCutShort) this.#serviceTime.observe(this.#clock.now() - startedAt);
      this.#release(call);
    }
  }

  async #waitForTurn(call: WaitingCall, turn: Promise<ShedReason | undefined>, signal: AbortSignal): Promise<void> {
    const expectedWaitMs = this.#bulkhead.roundsBefore(call.store) * this.#serviceTime.expectedMs;
    if (!this.#canStartAt(this.#clock.now() + expectedWaitMs, call)) {
      this.#bulkhead.leave(call);
      throw this.#shed("deadline");
    }
    if (call.deadline < Number.POSITIVE_INFINITY) this.#waiting.add(call);
    void this.#sweep();
    using _listener = addAbortListener(signal, () => this.#drop(call, "caller_left"));
    const reason = await turn;
    if (reason !== undefined) throw this.#shed(reason);
    if (!signal.aborted) return;
    // The caller disconnected after the bulkhead had started its call and before this continuation ran.
    this.#release(call);
    throw this.#shed("caller_left");
  }

  #canStartAt(time: number, { startBy, deadline }: WaitingCall): boolean {
    return time <= startBy && time + safetyFactor * this.#serviceTime.expectedMs <= deadline;
  }

  #release(call: WaitingCall): void {
    this.#bulkhead.finish(call);
    for (let next = this.#bulkhead.startNext(); next !== undefined; next = this.#bulkhead.startNext()) {
      this.#waiting.delete(next);
      if (this.#canStartAt(this.#clock.now(), next)) {
        next.settle(undefined);
      } else {
        this.#bulkhead.finish(next);
        next.settle("deadline");
      }
    }
  }

  #dropLate(): void {
    const now = this.#clock.now();
    for (const call of this.#waiting) if (!this.#canStartAt(now, call)) this.#drop(call, "deadline");
  }

  #drop(call: WaitingCall, reason: ShedReason): void {
    if (!this.#bulkhead.leave(call)) return;
    this.#waiting.delete(call);
    call.settle(reason);
  }

  // Deadlines also pass while no work finishes, so a timer checks all waiting calls.
  async #sweep(): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    while (this.#waiting.size > 0) {
      await this.#clock.sleep(sweepIntervalMs);
      this.#dropLate();
    }
    this.#isSweeping = false;
  }

  #shed(reason: ShedReason): LoadShedError {
    this.#onShed(reason);
    return new LoadShedError(reason);
  }
}
