import { AsyncLocalStorage, AsyncResource, createHook } from "node:async_hooks";
import { addAbortListener } from "node:events";
import type { Clock } from "#shared/time/clock.ts";
import { actorRandom, type SeededRandom } from "../../harness/seeded-random.ts";
import { EventQueue } from "./event-queue.ts";
import { allocateListsAtOnce } from "./fast-lists.ts";
import { LiveCollections } from "./live-collections.ts";
import { replaceGlobals } from "./seeded-globals.ts";

const startMs = Date.UTC(2030, 0, 1);
// A world that never comes to an end has a loop without a pause.
const eventsMax = 5_000_000;

// The asynchronous resources of Node that neither wait for time nor do I/O.
const ownTypes: ReadonlySet<string> = new Set([
  ...["PROMISE", "TickObject", "Microtask", "STREAM_END_OF_STREAM"],
  // Of the synchronous function, too.
  "DERIVEBITSREQUEST",
]);

// Kept before any world replaces it.
const { setImmediate: endTurn } = globalThis;
const turnsAtOnce = 100;

/** A process of the world: a replica of a service. Everything that it starts belongs to it, and ends with it. */
export class WorldProcess {
  readonly name: string;
  /** How far its clock is ahead of the world's time; may change. */
  aheadMs: number;
  /** Its events while it is paused. */
  held: (() => void)[] | undefined;
  isDead = false;
  /** Whether its maps and sets are observed. */
  isReplica = false;
  /** What happens to others when it is killed. */
  readonly onKill = new Set<() => void>();
  /** The asynchronous context of its events. */
  context: AsyncResource | undefined;

  constructor(name: string, aheadMs: number) {
    this.name = name;
    this.aheadMs = aheadMs;
  }
}

/**
 * Virtual time, timers, processes and one source of randomness. Time passes only from one event to the next. Between
 * two events, the code of the processes runs until it waits for another event. So the seed determines everything.
 */
export class World {
  readonly random: SeededRandom;
  /** The maps and sets of replicas. */
  readonly collections = new LiveCollections();
  readonly #queue = new EventQueue();
  readonly #current = new AsyncLocalStorage<WorldProcess>();
  /** The history itself, and the servers. */
  readonly #outside = new WorldProcess("world", 0);
  #nowMs = startMs;
  #count = 0;
  #drawnCount = 0;

  constructor(seed: number) {
    this.random = actorRandom(seed, "world");
  }

  /** The world's time, in milliseconds since 1970. */
  now(): number {
    return this.#nowMs;
  }

  /** How many random numbers the code has drawn. */
  get drawnCount(): number {
    return this.#drawnCount;
  }

  /** Returns a random number from 0 to `end`, exclusively; not an integer. */
  below(end: number): number {
    return (this.random.below(2 ** 32) / 2 ** 32) * end;
  }

  /** The world's clock, for what belongs to no process. */
  get clock(): Clock {
    return { now: () => this.#nowMs, sleep: (durationMs, signal) => this.#sleep(durationMs, signal) };
  }

  /** Starts a process. @param aheadMs how far its clock is ahead. Default 0 */
  start(name: string, aheadMs = 0): WorldProcess {
    return new WorldProcess(name, aheadMs);
  }

  /** Starts a process that runs production code, likewise. */
  startReplica(name: string, aheadMs: number): WorldProcess {
    const process = this.start(name, aheadMs);
    process.isReplica = true;
    return process;
  }

  /** Runs code of a process; what the code starts belongs to the process, too. */
  inProcess<T>(process: WorldProcess, run: () => T): T {
    return this.#current.run(process, run);
  }

  /** Nothing happens in the process until it is resumed, while time passes. */
  pause(process: WorldProcess): void {
    process.held ??= [];
  }

  resume(process: WorldProcess): void {
    const held = process.held ?? [];
    process.held = undefined;
    for (const happen of held) this.schedule(0, happen, process);
  }

  /** Nothing ever happens in the process again. */
  kill(process: WorldProcess): void {
    process.isDead = true;
    process.held = undefined;
    for (const happen of process.onKill) happen();
  }

  /** Whether the code that runs now belongs to the world. */
  get isInside(): boolean {
    return this.#current.getStore() !== undefined;
  }

  /** The process whose code runs now. */
  get process(): WorldProcess | undefined {
    const process = this.#current.getStore();
    return process === this.#outside ? undefined : process;
  }

  /** Calls back after a duration, in a process if one is given. @returns a function that cancels the call */
  schedule(durationMs: number, callback: () => void, process?: WorldProcess): () => void {
    let isCancelled = false;
    const happen = () => {
      if (isCancelled || process?.isDead === true) return false;
      if (process?.held !== undefined) {
        process.held.push(happen);
        return false;
      }
      this.#enter(process ?? this.#outside, callback);
      return true;
    };
    this.#queue.push({ atMs: this.#nowMs + Math.max(0, durationMs), number: this.#count++, happen });
    return () => {
      isCancelled = true;
    };
  }

  /** Runs an event of a process. A context that is kept is faster to enter than one that is made for each event. */
  #enter(process: WorldProcess, callback: () => void): void {
    process.context ??= this.#current.run(process, () => new AsyncResource("process of a world"));
    process.context.runInAsyncScope(callback);
  }

  /** Resolves after a duration, in the process if one is given: never if it is killed. */
  delay(durationMs: number, process?: WorldProcess): Promise<void> {
    return new Promise((resolve) => void this.schedule(durationMs, resolve, process));
  }

  /**
   * Runs a history to its end, with the timers, clocks and randomness of Node replaced. Two worlds cannot run at the
   * same time.
   *
   * @throws Error if the history waits for something that never happens
   */
  async run<T>(history: () => Promise<T>): Promise<T> {
    using _globals = replaceGlobals({
      isInside: () => this.isInside,
      now: () => this.#nowMs + (this.process?.aheadMs ?? 0),
      schedule: (durationMs, callback) => this.schedule(durationMs, callback, this.process),
      random: () => {
        this.#drawnCount += 1;
        return this.below(1);
      },
    });
    using _constructors = this.collections.replaceConstructors(() => {
      const process = this.#current.getStore();
      return process?.isReplica ? process : undefined;
    });
    using _lists = allocateListsAtOnce();
    using escapes = this.#watchEscapes();
    using _stacks = withoutStacks();
    // Timers that Node or a library still knows would keep all that waits for an event.
    using _events = { [Symbol.dispose]: () => this.#queue.clear() };
    let isDone = false;
    const done = this.#current.run(this.#outside, history).finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    let count = 0;
    await eachTurn(() => {
      if (escapes.first !== undefined) throw escapes.first;
      if (isDone) return false;
      if (!this.#happenNext()) throw new Error("the world stands still: the history waits for nothing that can happen");
      count += 1;
      if (count > eventsMax) throw new Error("the history does not come to an end");
      return true;
    });
    return done;
  }

  /** Makes the next event happen, and those before it that run no code. @returns false if there is none */
  #happenNext(): boolean {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      if (next.happen()) return true;
    }
    return false;
  }

  /** Watches for timers and I/O of Node itself that code of the world uses: the seed does not decide these. */
  #watchEscapes(): { readonly first: Error | undefined } & Disposable {
    let first: Error | undefined;
    const init = (_id: number, type: string, _trigger: number, resource: object) => {
      // Libraries use an AsyncResource to keep the context of a callback; it waits for nothing.
      if (!ownTypes.has(type) && !(resource instanceof AsyncResource) && this.#current.getStore() !== undefined)
        first ??= new Error(`code of the world uses what lies outside of it: ${type}`);
    };
    const hook = createHook({ init, trackPromises: false }).enable();
    return {
      get first() {
        return first;
      },
      [Symbol.dispose]: () => void hook.disable(),
    };
  }

  async #sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.schedule(durationMs, resolve, this.process);
    using _listener = signal && addAbortListener(signal, () => resolve());
    await promise;
    cancel();
  }
}

/**
 * Calls a function until it returns false, each time once all microtasks have ended. Node ends these between two
 * callbacks of `setImmediate`; an iteration of its event loop takes longer than that.
 */
async function eachTurn(take: () => boolean): Promise<void> {
  let goesOn = true;
  while (goesOn)
    await new Promise<void>((resolve, reject) => {
      const turn = () => {
        try {
          goesOn &&= take();
        } catch (error) {
          goesOn = false;
          reject(error);
        }
      };
      for (let count = 0; count < turnsAtOnce; count++) endTurn(turn);
      endTurn(resolve);
    });
}

/** Errors have no stack until disposal: production code throws many that it expects, and a stack costs most of them. */
function withoutStacks(): Disposable {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  return {
    [Symbol.dispose]: () => {
      Error.stackTraceLimit = stackTraceLimit;
    },
  };
}
