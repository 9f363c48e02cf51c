import { setImmediate as turn } from "node:timers/promises";
import type { BulkheadBounds } from "#shared/limits/bulkhead.ts";
import type { Clock } from "#shared/time/clock.ts";
import { noLimits } from "./call-limits.ts";
import { LoadShedder } from "./load-shedder.ts";

const secondsWarmUp = 12;
const deadlineMs = 5_000;
const commandsAtOnce = 4;
const commandsPerRequest = 4;

/** Returns the database's capacity in requests per second. @param commandMs mean duration of a command, in ms */
export function capacityOf(commandMs: number): number {
  return (1_000 * commandsAtOnce) / (commandsPerRequest * commandMs);
}

/** A clock that jumps to the next time at which a sleeper wakes. */
class SimulatedClock implements Clock {
  #now = 0;
  readonly #sleepers: { readonly wakeAt: number; readonly wake: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  sleep(durationMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wakeAt = this.#now + durationMs;
      const index = this.#sleepers.findIndex((sleeper) => sleeper.wakeAt > wakeAt);
      this.#sleepers.splice(index === -1 ? this.#sleepers.length : index, 0, { wakeAt, wake: resolve });
    });
  }

  async runUntil(endMs: number): Promise<void> {
    for (let next = this.#sleepers.shift(); next !== undefined && next.wakeAt <= endMs; next = this.#sleepers.shift()) {
      this.#now = next.wakeAt;
      next.wake();
      // Lets all work that is due at this time run.
      await turn();
    }
  }
}

/** A database that executes a limited number of commands at the same time; further commands wait in FIFO order. */
class SimulatedDatabase {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #free = commandsAtOnce;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async execute(durationMs: number): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    await this.#clock.sleep(durationMs);
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}

/** Requests of several stores, which arrive at random and independently of each other (a Poisson process). */
interface SimulatedLoad {
  readonly stores: number;
  /** Requests per second of all stores together at the given time. */
  readonly perSecond: (atMs: number) => number;
}

/** The results of a simulation, without the first 12 seconds. */
interface SimulatedAnswers {
  /** Requests of all stores that were answered in time, per second. */
  readonly goodput: number;
  /**
   * 99th percentile of the other stores' latencies, in milliseconds. The latency of a request that is not answered in
   * time counts as infinite.
   */
  readonly othersP99Ms: number;
  /** The other stores' requests, in the order in which they ended; `latencyMs` as for `othersP99Ms`. */
  readonly others: readonly { readonly sentAtMs: number; readonly latencyMs: number }[];
}

/** The simulated load shedder and database. */
interface SimulatedSystem {
  readonly bounds: BulkheadBounds;
  /** Mean duration of a database command, in milliseconds. */
  readonly commandMs: number;
  /** Length of the simulation, in seconds. Default 100. */
  readonly seconds?: number;
}

/**
 * Simulates a load shedder and its database under the requests of two groups of stores.
 *
 * @param load stores that cause the load
 * @param others stores with a low request rate at the same time
 */
export async function simulate(
  { bounds, commandMs, seconds = 100 }: SimulatedSystem,
  load: SimulatedLoad,
  others: SimulatedLoad,
): Promise<SimulatedAnswers> {
  const clock = new SimulatedClock();
  const database = new SimulatedDatabase(clock);
  const shedder = new LoadShedder({ ...bounds, clock });
  const random = createRandom();
  let answered = 0;
  const othersEnded: { sentAtMs: number; latencyMs: number }[] = [];

  const request = async (store: string, isOther: boolean) => {
    const sentAtMs = clock.now();
    const work = async () => {
      for (let command = 0; command < commandsPerRequest; command++)
        await database.execute(commandMs * (0.5 + random()));
    };
    const isShed = await shedder.run({ ...noLimits, store, deadline: sentAtMs + deadlineMs }, work).then(
      () => false,
      () => true,
    );
    if (clock.now() < 1_000 * secondsWarmUp) return;
    const latencyMs = clock.now() - sentAtMs;
    const isAnswered = !isShed && latencyMs <= deadlineMs;
    if (isAnswered) answered++;
    if (isOther) othersEnded.push({ sentAtMs, latencyMs: isAnswered ? latencyMs : Number.POSITIVE_INFINITY });
  };
  const send = async (name: string, { stores, perSecond }: SimulatedLoad) => {
    for (;;) {
      await clock.sleep((-Math.log(1 - random()) * 1_000) / perSecond(clock.now()));
      void request(`${name} ${Math.floor(stores * random())}`, name === "other");
    }
  };
  void send("load", load);
  void send("other", others);
  await clock.runUntil(1_000 * seconds);
  return {
    goodput: answered / (seconds - secondsWarmUp),
    othersP99Ms: p99Of(othersEnded.map(({ latencyMs }) => latencyMs)),
    others: othersEnded,
  };
}

/** Returns the 99th percentile of the values, or infinity if there are none. */
export function p99Of(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(0.99 * values.length)] ?? Number.POSITIVE_INFINITY;
}

/** A linear congruential generator (Numerical Recipes), so that each run is the same. */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
