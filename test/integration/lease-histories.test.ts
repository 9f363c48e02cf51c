import { expect, test } from "vitest";
import { LeaseKeeper } from "../../services/registry/leases/lease-keeper.ts";
import { type LeasedTask, taskLeaseMs } from "../../services/registry/leases/leased-queue.ts";
import { leasedTask } from "../../services/registry/mongo/leases/leased-task.ts";
import { leaseSlackMs } from "../../services/registry/mongo/leases/mongo-leases.ts";
import { seededRandom } from "../harness/seeded-random.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const database = await openTestDatabase();
const { leases } = database.collections;

const histories = 12;
const startMs = Date.parse("2026-11-26T12:00:00.000Z");
const historyMs = 120_000;
const pausedMs = 10_000;

/** Virtual time in which one worker runs at a time: the one whose pause ends first. */
class Schedule {
  nowMs = 0;
  readonly #paused: { readonly atMs: number; readonly resume: () => void }[] = [];
  #isParked = Promise.withResolvers<void>();

  pause(durationMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#paused.push({ atMs: this.nowMs + durationMs, resume: resolve });
    this.#isParked.resolve();
    return promise;
  }

  /** Lets workers run until a time. @param onPause called each time that all workers are paused */
  async runUntil(endMs: number, onPause: () => void): Promise<void> {
    for (;;) {
      const next = this.#paused.toSorted((one, other) => one.atMs - other.atMs)[0];
      onPause();
      if (next === undefined || next.atMs > endMs) break;
      this.#paused.splice(this.#paused.indexOf(next), 1);
      this.nowMs = next.atMs;
      this.#isParked = Promise.withResolvers();
      next.resume();
      await this.#isParked.promise;
    }
    this.nowMs = endMs;
  }
}

/**
 * Runs two workers that keep one lease. Each is paused for up to ten seconds at any call, before the call reaches the
 * database or before its reply arrives, while the database's clock is set back by up to six hours. At last, the holder
 * dies as the clock is set back.
 *
 * @returns how many workers held the lease at the same time, how often the holder changed, and whether the other worker
 * holds the lease once the dead holder's can have ended
 */
async function runHistory(seed: number) {
  const { below } = seededRandom(seed);
  const schedule = new Schedule();
  let aheadMs = 86_400_000;
  let isCalm = false;
  const dead = new Set<LeaseKeeper>();
  const clock = { now: () => schedule.nowMs, sleep: (durationMs: number) => schedule.pause(durationMs) };
  const openWorker = () => {
    const task = leasedTask(leases, `history-${seed}`, () => new Date(startMs + schedule.nowMs + aheadMs));
    const pause = (durationMs: number) => schedule.pause(dead.has(keeper) ? Number.POSITIVE_INFINITY : durationMs);
    const mayPause = () => pause(!isCalm && below(8) === 0 ? below(pausedMs) : below(20));
    const delayed = async <T>(call: () => Promise<T>): Promise<T> => {
      await mayPause();
      const result = await call();
      await mayPause();
      return result;
    };
    const slow: LeasedTask = {
      lifeMs: taskLeaseMs,
      claim: () => delayed(() => task.claim()),
      renew: (claim) => delayed(() => task.renew(claim)),
      release: (claim) => delayed(() => task.release(claim)),
    };
    const keeper = new LeaseKeeper(slow, clock);
    const work = async () => {
      for (;;) {
        await pause(500);
        await keeper.keep();
        if (!isCalm && below(20) === 0) await keeper.release();
      }
    };
    void work();
    return keeper;
  };
  const workers = [openWorker(), openWorker()];
  const holdersNow = () => workers.filter(({ isCertain }) => isCertain);
  let holdersMax = 0;
  let changes = 0;
  let holder: LeaseKeeper | undefined;
  const observe = () => {
    const holders = holdersNow();
    holdersMax = Math.max(holdersMax, holders.length);
    if (holders[0] !== undefined && holders[0] !== holder) changes++;
    holder = holders[0] ?? holder;
    if (!isCalm && below(40) === 0) aheadMs -= below(2) === 0 ? below(20_000) : below(6 * 3_600_000);
  };
  await schedule.runUntil(historyMs, observe);
  isCalm = true;
  if (holder !== undefined) dead.add(holder);
  aheadMs -= 3_600_000;
  await schedule.runUntil(historyMs + pausedMs + taskLeaseMs + leaseSlackMs + 1_000, observe);
  const isTakenOver = holdersNow().some((keeper) => !dead.has(keeper));
  return { holdersMax, hasChanged: changes > 2, isTakenOver };
}

test.each(Array.from({ length: histories }, (_, seed) => seed + 1))(
  "two workers that are paused at any call, under clocks that are set back, never hold a lease together; a dead one's lease ends soon (seed %d)",
  async (seed) => {
    expect(await runHistory(seed)).toEqual({ holdersMax: 1, hasChanged: true, isTakenOver: true });
  },
);
