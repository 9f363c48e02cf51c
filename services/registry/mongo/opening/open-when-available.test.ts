import { MongoNetworkError } from "mongodb";
import { expect, test } from "vitest";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { openWhenAvailable } from "./open-when-available.ts";

/** Simulates a database; the attempts to open it have these results, in order. */
function databaseOf(...attempts: readonly (() => Promise<void>)[]) {
  const pauses: number[] = [];
  const stopping = new AbortController();
  const state = { opened: 0, closed: 0 };
  const database = { close: async () => void state.closed++ };
  const open = async () => {
    await attempts[state.opened++]?.();
    return database;
  };
  const clock = { now: () => 0, sleep: async (ms: number) => void pauses.push(ms) };
  const { logger, lines } = captureLog();
  const opening = () => openWhenAvailable(open, { clock, logger, signal: stopping.signal });
  return { opening, database, state, pauses, lines, stop: () => stopping.abort() };
}

const unreachable = () => Promise.reject(new MongoNetworkError("connect ECONNREFUSED"));

test("tries again for as long as the database is unavailable", async () => {
  const { opening, database, pauses, lines } = databaseOf(...Array.from({ length: 200 }, () => unreachable));
  expect(await opening()).toBe(database);
  expect(pauses).toHaveLength(200);
  expect(lines[0]).toMatchObject({ level: 40, reason: "connect ECONNREFUSED", msg: "waiting for the database" });
});

test("fails immediately if the database is reachable but unsuitable", async () => {
  const { opening, state } = databaseOf(() => Promise.reject(new Error("not a replica set")));
  await expect(opening()).rejects.toThrow("not a replica set");
  expect(state.opened).toBe(1);
});

test("stops retrying when aborted during an attempt that fails", async () => {
  const { opening, stop, state } = databaseOf(async () => {
    stop();
    await unreachable();
  });
  expect(await opening()).toBeUndefined();
  expect(state.opened).toBe(1);
});

test("returns when aborted during an attempt, and closes the database if the attempt succeeds later", async () => {
  const attempt = Promise.withResolvers<void>();
  const { opening, stop, state } = databaseOf(() => attempt.promise);
  const result = opening();
  stop();
  expect(await result).toBeUndefined();
  attempt.resolve();
  await expect.poll(() => state.closed).toBe(1);
});
