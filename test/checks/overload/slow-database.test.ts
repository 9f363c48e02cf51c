import { MongoClient } from "mongodb";
import { expect, inject, onTestFinished, test } from "vitest";
import { startSlowDatabase } from "./slow-database.ts";

/**
 * Connects to the run's database server through a proxy that processes at most two commands at a time, each with a
 * delay of 100 ms.
 */
async function connectSlowly() {
  const proxy = await startSlowDatabase(inject("databaseServerUrl"), { commandsAtOnce: 2, commandMs: 100 });
  const client = new MongoClient(proxy.uri, { minPoolSize: 8, serverSelectionTimeoutMS: 60_000 });
  onTestFinished(async () => {
    await client.close();
    await proxy.close();
  });
  await client.connect();
  const command = () => client.db("slow_database").collection("things").countDocuments({});
  await command();
  return { client, command };
}

test("limits the number of concurrent commands, and makes each one take at least the minimum duration", async () => {
  const { command } = await connectSlowly();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 6 }, command));
  // Three turns of two commands. Timers may fire one millisecond early.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(297);
});

test("does not delay a ping while other commands wait", async () => {
  const { client, command } = await connectSlowly();
  const waiting = Promise.all(Array.from({ length: 20 }, command));
  let isWaiting = true;
  void waiting.then(() => {
    isWaiting = false;
  });
  await client.db("admin").command({ ping: 1 });
  expect(isWaiting).toBe(true);
  await waiting;
});
