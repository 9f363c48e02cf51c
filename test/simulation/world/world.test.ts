import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import importedTimers from "node:timers";
import { setTimeout as delay } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { expect, test } from "vitest";
import { steadyClock, systemClock } from "#shared/time/clock.ts";
import { collectGarbage } from "../../harness/collect-garbage.ts";
import { World } from "./world.ts";

const seed = 7;
const nothing = () => undefined;

test("time passes only while the history waits, for timers, sleeps and clocks alike", async () => {
  const world = new World(seed);
  const startedAt = performance.now();
  const hourMs = 3_600_000;
  await world.run(async () => {
    const nanosecondsBefore = process.hrtime.bigint();
    const before = [Date.now(), Date.parse(new Date().toISOString()), steadyClock.now(), world.now()];
    const [ended, open] = [AbortSignal.timeout(3 * hourMs - 1), AbortSignal.timeout(3 * hourMs + 1)];
    await systemClock.sleep(hourMs);
    await new Promise((resolve) => setTimeout(resolve, hourMs));
    await world.clock.sleep(hourMs);
    for (const [index, time] of [
      Date.now(),
      Date.parse(new Date().toISOString()),
      steadyClock.now(),
      world.now(),
    ].entries())
      expect(Math.round(time - (before[index] ?? 0))).toBe(3 * hourMs);
    expect(Math.round(Number(process.hrtime.bigint() - nanosecondsBefore) / 1e6)).toBe(3 * hourMs);
    expect([ended.aborted, open.aborted]).toEqual([true, false]);
  });
  expect(performance.now() - startedAt).toBeLessThan(hourMs);
});

test("timers of the same time fire in the order in which they were set, and those that were cleared do not", async () => {
  const fired: string[] = [];
  await new World(seed).run(async () => {
    setTimeout(() => fired.push("later"), 2);
    setTimeout(() => fired.push("first"), 1);
    clearTimeout(setTimeout(() => fired.push("cleared"), 1));
    setTimeout(() => fired.push("second"), 1);
    setImmediate(() => fired.push("immediately"));
    const repeated = setInterval(() => fired.push("repeated"), 3);
    await systemClock.sleep(7);
    clearInterval(repeated);
    await systemClock.sleep(7);
  });
  expect(fired).toEqual(["immediately", "first", "second", "later", "repeated", "repeated"]);
});

test("nothing happens in a paused process until it is resumed, and in a killed one never", async () => {
  const happened: string[] = [];
  const world = new World(seed);
  await world.run(async () => {
    const [paused, killed] = [world.start("paused"), world.start("killed")];
    for (const process of [paused, killed])
      world.inProcess(process, () => setTimeout(() => happened.push(process.name), 10));
    world.pause(paused);
    world.kill(killed);
    await world.delay(100);
    expect(happened).toEqual([]);
    world.resume(paused);
    await world.delay(1);
  });
  expect(happened).toEqual(["paused"]);
});

test("a process has a clock of its own, also in what its timers start", async () => {
  const world = new World(seed);
  await world.run(async () => {
    const ahead = world.start("ahead", 60_000);
    const seen = world.inProcess(ahead, async () => {
      await systemClock.sleep(5);
      return Date.now();
    });
    expect(await seen).toBe(Math.floor(world.now()) + 60_000);
    expect(Date.now()).toBe(Math.floor(world.now()));
  });
});

test("randomness comes from the seed, and is the process's own again afterwards", async () => {
  const values = (of: number) =>
    new World(of).run(async () => [
      Math.random(),
      randomUUID(),
      crypto.randomUUID(),
      randomBytes(8).toString("hex"),
      randomInt(2 ** 40),
      new ObjectId().toHexString(),
    ]);
  expect(await values(seed)).toEqual(await values(seed));
  expect(await values(seed)).not.toEqual(await values(seed + 1));
  expect(randomUUID()).not.toBe(randomUUID());
});

test("reports a history that waits for what never happens", async () => {
  await expect(new World(seed).run(() => new Promise(() => undefined))).rejects.toThrow("the world stands still");
});

test("refuses timers and I/O that the world does not replace, as code has that kept them before", async () => {
  const { setTimeout: kept } = globalThis;
  const waits = () => new Promise<void>((resolve) => kept(resolve, 1));
  await expect(new World(seed).run(waits)).rejects.toThrow("outside of it: Timeout");
  await expect(new World(seed).run(() => readFile(import.meta.filename))).rejects.toThrow("outside of it: F");
});

test("replaces timers also for code that imports them", async () => {
  const fired: string[] = [];
  await new World(seed).run(async () => {
    importedTimers.setTimeout(() => fired.push("later"), 86_400_000);
    await delay(3_600_000);
    fired.push("delayed");
    await expect(delay(3_600_000, undefined, { signal: AbortSignal.timeout(1_000) })).rejects.toThrow();
    await delay(90_000_000);
  });
  expect(fired).toEqual(["delayed", "later"]);
});

test("the time since the process started does not depend on when this Node process started", async () => {
  const { timeOrigin } = performance;
  await new World(seed).run(async () => {
    await delay(0.7);
    expect([performance.timeOrigin, performance.now()]).toEqual([0, Date.UTC(2030, 0, 1) + 1]);
    await delay(1.4);
    expect(Math.trunc(performance.now()) - Date.UTC(2030, 0, 1)).toBe(2);
  });
  expect(performance.timeOrigin).toBe(timeOrigin);
});

test("dates of a world and other dates have the same class", async () => {
  const [outside, { Date: outsideDate }] = [new Date(5), globalThis];
  await new World(seed).run(async () => {
    class Derived extends Date {}
    expect(outside).toBeInstanceOf(Date);
    expect(new Date(5)).toBeInstanceOf(outsideDate);
    expect([new Derived(5).getTime(), new Date("1970").getTime()]).toEqual([5, 0]);
    expect([new Date(), new Derived()].map(Number)).toEqual([Date.now(), Date.now()]);
  });
});

test("reports the error of a history", async () => {
  const history = () => Promise.reject(new Error("the history fails"));
  await expect(new World(seed).run(history)).rejects.toThrow("the history fails");
});

test("nothing keeps what a process held while it waited, once its world has ended", async () => {
  const timers: unknown[] = [];
  const run = async () => {
    const held = {};
    const wait = async (signal?: AbortSignal) => {
      await systemClock.sleep(60_000, signal);
      return held;
    };
    const world = new World(seed);
    await world.run(async () => {
      world.inProcess(world.start("replica"), () => {
        void wait();
        void wait(AbortSignal.any([new AbortController().signal]));
        // As libraries keep timers.
        timers.push(setTimeout(nothing, 60_000));
      });
    });
    return new WeakRef(held);
  };
  const held = await run();
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(held.deref()).toBeUndefined();
  expect(timers).toHaveLength(1);
});
