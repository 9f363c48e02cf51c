import crypto from "node:crypto";
import { addAbortListener, getEventListeners } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import timersPromises from "node:timers/promises";
import { ObjectId } from "mongodb";
import { inPlaceOf } from "./in-place-of.ts";

const billion = 1_000_000_000n;

/** What replaces the process's time, timers and randomness. */
interface SeededSources {
  /** Returns whether the code that runs now belongs to the world. Other code of this process keeps the real sources. */
  readonly isInside: () => boolean;
  /** Milliseconds since 1970, of the process that runs now. */
  readonly now: () => number;
  /** Calls back after a duration. @returns a function that cancels the call */
  readonly schedule: (durationMs: number, callback: () => void) => () => void;
  /** Returns a number from 0 to 1, exclusively. */
  readonly random: () => number;
}

/** Replaces a function of an object for the code of a world. Other code still calls the original. */
type Replace = (target: object, name: string, inWorld: (...args: never[]) => unknown) => void;

/** Replaces functions of Node, also for modules that have imported them before, until disposal. */
export function replacing(
  isInside: () => boolean,
  replaceAll: (replace: Replace, restored: DisposableStack) => void,
): Disposable {
  const restored = new DisposableStack();
  const replace: Replace = (target, name, inWorld) => {
    const before = Object.getOwnPropertyDescriptor(target, name);
    const original: unknown = Reflect.get(target, name);
    if (typeof original !== "function") throw new Error(`${name} is not a function`);
    const value = (...args: unknown[]): unknown =>
      isInside() ? Reflect.apply(inWorld, undefined, args) : Reflect.apply(original, target, args);
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
    restored.defer(() => {
      if (before === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, before);
    });
  };
  replaceAll(replace, restored);
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]: () => {
      restored.dispose();
      syncBuiltinESMExports();
    },
  };
}

/**
 * Replaces the global timers, clocks and randomness of this Node process, also for modules that have imported them
 * before.
 *
 * @returns what disposal restores
 */
export function replaceGlobals({ isInside, now, schedule, random }: SeededSources): Disposable {
  return replacing(isInside, (replace, restored) => {
    const bytes = (target: Uint8Array) => target.fill(0).map(() => Math.floor(random() * 256));
    const fill = <T extends NodeJS.ArrayBufferView>(target: T): T => {
      const view = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
      view.set(bytes(view));
      return target;
    };
    const uuid = () => {
      const hex = Buffer.from(bytes(new Uint8Array(16))).toString("hex");
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
    };
    replaceTimers(replace, schedule);
    replace(Date, "now", () => Math.floor(now()));
    const { Date: realDate } = globalThis;
    const dateInWorld = inPlaceOf(realDate, (args, target): object =>
      Reflect.construct(realDate, args.length === 0 ? [realDate.now()] : args, target),
    );
    Reflect.set(globalThis, "Date", dateInWorld);
    restored.defer(() => {
      globalThis.Date = realDate;
    });
    // Relative to the start of this Node process, whole milliseconds would not depend on the seed alone.
    const { timeOrigin } = performance;
    Object.defineProperty(performance, "timeOrigin", { get: () => (isInside() ? 0 : timeOrigin), configurable: true });
    restored.defer(() => void Reflect.deleteProperty(performance, "timeOrigin"));
    replace(performance, "now", now);
    const nanoseconds = () => BigInt(Math.round(now() * 1e6));
    const { bigint } = process.hrtime;
    replace(process, "hrtime", (since?: readonly [number, number]) => {
      const passed = nanoseconds() - (since === undefined ? 0n : BigInt(since[0]) * billion + BigInt(since[1]));
      return [Number(passed / billion), Number(passed % billion)];
    });
    process.hrtime.bigint = () => (isInside() ? nanoseconds() : bigint());
    replace(AbortSignal, "timeout", (durationMs: number) => {
      const controller = new AbortController();
      const reason = () => new DOMException("The operation was aborted due to timeout", "TimeoutError");
      schedule(durationMs, () => controller.abort(reason()));
      return controller.signal;
    });
    restored.use(forgetListeners(replace));
    replace(Math, "random", random);
    const randomBytes = (size: number) => Buffer.from(bytes(new Uint8Array(size)));
    const randomInt = (first: number, second?: number) => {
      const [min, end] = typeof second === "number" ? [first, second] : [0, first];
      return min + Math.floor(random() * (end - min));
    };
    for (const [name, value] of Object.entries({ randomBytes, randomFillSync: fill, randomInt, randomUUID: uuid }))
      replace(crypto, name, value);
    replace(globalThis.crypto, "randomUUID", uuid);
    replace(globalThis.crypto, "getRandomValues", fill);
    restored.use(seedObjectIds(uuid()));
  });
}

/**
 * Removes, on disposal, what still listens to signals that depend on others. Node keeps such signals while anything
 * listens to them, and with them the processes that were killed while they waited: whole worlds.
 */
function forgetListeners(replace: Replace): Disposable {
  const any = AbortSignal.any.bind(AbortSignal);
  const dependent: AbortSignal[] = [];
  replace(AbortSignal, "any", (signals: AbortSignal[]) => {
    const signal = any(signals);
    dependent.push(signal);
    return signal;
  });
  return {
    [Symbol.dispose]: () => {
      for (const signal of dependent)
        for (const listener of getEventListeners(signal, "abort"))
          Reflect.apply(signal.removeEventListener, signal, ["abort", listener]);
    },
  };
}

/** Replaces the timers: the global ones, and those that code imports. */
function replaceTimers(replace: Replace, schedule: SeededSources["schedule"]): void {
  const setTimeout = (callback: (...args: unknown[]) => void, durationMs = 0, ...args: unknown[]) =>
    handleOf(schedule(Math.max(1, durationMs), () => callback(...args)));
  const setImmediate = (callback: (...args: unknown[]) => void, ...args: unknown[]) =>
    handleOf(schedule(0, () => callback(...args)));
  const setInterval = (callback: () => void, durationMs = 1) => {
    let stop: (() => void) | undefined;
    const next = () => {
      stop = schedule(durationMs, () => {
        next();
        callback();
      });
    };
    next();
    return handleOf(() => stop?.());
  };
  const clear = (handle: unknown) => {
    if (handle instanceof TimerHandle) handle.cancel();
  };
  for (const target of [globalThis, timers]) {
    for (const [name, value] of Object.entries({ setTimeout, setImmediate, setInterval })) replace(target, name, value);
    for (const name of ["clearTimeout", "clearImmediate", "clearInterval"]) replace(target, name, clear);
  }
  const delay = (durationMs = 1, value?: unknown, { signal }: { signal?: AbortSignal } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const cancel = schedule(Math.max(1, durationMs), () => resolve(value));
    const listening = signal && addAbortListener(signal, () => reject(signal.reason));
    return promise.finally(() => {
      cancel();
      listening?.[Symbol.dispose]();
    });
  };
  replace(timersPromises, "setTimeout", delay);
  replace(timersPromises, "setImmediate", (value?: unknown) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    schedule(0, () => resolve(value));
    return promise;
  });
}

/** Makes ids of the database driver follow from the seed: the driver keeps their process part and their counter. */
function seedObjectIds(hex: string): Disposable {
  const seeded = new Map<string, unknown>([
    ["PROCESS_UNIQUE", Buffer.from(hex.slice(0, 8) + hex.slice(-2), "hex")],
    ["index", 0],
  ]);
  const before = Array.from(seeded.keys(), (name) => [name, Reflect.get(ObjectId, name)] as const);
  for (const [name, value] of seeded) Reflect.set(ObjectId, name, value);
  return {
    [Symbol.dispose]: () => {
      for (const [name, value] of before) Reflect.set(ObjectId, name, value);
    },
  };
}

class TimerHandle {
  readonly cancel: () => void;

  constructor(cancel: () => void) {
    this.cancel = cancel;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  [Symbol.dispose](): void {
    this.cancel();
  }
}

function handleOf(cancel: () => void): TimerHandle {
  return new TimerHandle(cancel);
}
