import { expect, onTestFinished, test } from "vitest";
import { entry, letters, type MemoryOutbox, testRig, until } from "./relay-fixture.ts";

test("publishes other certificates' events before the stream has acknowledged an earlier event", async () => {
  const published: string[] = [];
  const slow = Promise.withResolvers<void>();
  const { relay, outbox } = testRig([entry("a1")], {
    publish: async ({ eventId }) => {
      published.push(eventId);
      if (eventId === "a1") await slow.promise;
    },
  });
  relay.start();
  await until(() => expect(published).toEqual(["a1"]));
  outbox.put(entry("b1"));
  relay.wake();
  await until(() => expect(published).toEqual(["a1", "b1"]));
  slow.resolve();
});

test("publishes no further event while 500 events are unacknowledged", async () => {
  const entries = Array.from({ length: 600 }, (_, index) => entry(`a${index}`, `sto_${index}`));
  let publishing = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  const { relay, elapse } = testRig(entries, {
    publish: async () => {
      most = Math.max(most, ++publishing);
      await new Promise<void>((resolve) => waiting.push(resolve));
      publishing--;
    },
  });
  relay.start();
  await until(() => expect(waiting).toHaveLength(500));
  await elapse(1_000);
  expect([waiting.length, most]).toEqual([500, 500]);
  for (const acknowledge of waiting.splice(0)) acknowledge();
  await until(() => expect(waiting).toHaveLength(100));
  for (const acknowledge of waiting) acknowledge();
});

/** Makes further calls to a method wait until `release` is called; `running` counts the waiting calls. */
function holdUp<K extends "readBacklog" | "storesWithEntries" | "findUnsettled">(outbox: MemoryOutbox, method: K) {
  const gate = Promise.withResolvers<void>();
  const original = outbox[method].bind(outbox) as (...args: unknown[]) => Promise<unknown>;
  let running = 0;
  const slow = async (...args: unknown[]) => {
    running++;
    // The result reflects the state at the time of the call, like the result of a database query.
    const result = await original(...args);
    await gate.promise;
    running--;
    return result;
  };
  Object.assign(outbox, { [method]: slow });
  onTestFinished(() => gate.resolve());
  return { release: gate.resolve, running: () => running };
}

test.each(["readBacklog", "storesWithEntries", "findUnsettled"] as const)(
  "publishes new events of other stores while %s is slow, and loses no entry that arrives meanwhile",
  async (method) => {
    const backlog = Array.from(letters.slice(0, 20), (certificate) => entry(`${certificate}1`));
    const { relay, outbox, elapse, settle, published } = testRig(backlog);
    relay.start();
    await until(() => expect(published()).toEqual(["a1", "b1"]));
    const call = holdUp(outbox, method);
    await settle("a1");
    await settle("b1");
    await settle("c1");
    await elapse(31_000);
    expect(call.running()).toBe(1);
    outbox.put(entry("y2", "sto_2"));
    relay.wake();
    await until(() => expect(published()).toContain("y2"));
    // An entry that arrives while its store's backlog is being read must not be lost.
    outbox.put(entry("z3"));
    relay.wake();
    await until(() => expect(outbox.taken).toContain("z3"));
    call.release();
    for (const letter of letters.slice(3, 20)) await settle(`${letter}1`);
    await settle("y2");
    await until(() => expect(published()).toContain("z3"));
  },
);

test("reads at most eight backlogs concurrently, and eventually reads the backlog of every store", async () => {
  const entries = Array.from(letters, (letter) => entry(`${letter}1`, `sto_${letter}`));
  const { relay, outbox, elapse, published } = testRig(entries);
  const read = holdUp(outbox, "readBacklog");
  relay.start();
  await until(() => expect(read.running()).toBe(8));
  await elapse(1_000);
  expect(read.running()).toBe(8);
  read.release();
  await until(() => expect(published()).toHaveLength(letters.length));
});

test("stops only after the stream has acknowledged every published event", async () => {
  const slow = Promise.withResolvers<undefined>();
  const { log, relay, untilBlocked } = testRig([entry("a1")], {
    publish: ({ eventId }) => {
      log.push(eventId);
      return slow.promise;
    },
  });
  relay.start();
  await until(() => expect(log).toEqual(["prepare", "a1"]));
  const stopped = relay.stop().then(() => log.push("stopped"));
  await untilBlocked();
  expect(log).toEqual(["prepare", "a1"]);
  slow.resolve(undefined);
  await stopped;
  expect(log).toEqual(["prepare", "a1", "release", "stopped"]);
});

test("polls again only after marking the entries of the previous poll as taken", async () => {
  const { relay, outbox, untilBlocked, relayedCount } = testRig([]);
  relay.start();
  await until(() => expect(relayedCount()).toBe(16));
  const slow = Promise.withResolvers<void>();
  let polls = 0;
  outbox.before("markTaken", () => slow.promise);
  outbox.before("readNew", () => polls++);
  outbox.put(entry("a1"));
  relay.wake();
  await untilBlocked();
  expect(polls).toBe(1);
  slow.resolve();
  await until(() => expect(polls).toBeGreaterThan(1));
});

test("spends at most half of its time on polling, however often it is notified", async () => {
  const { relay, outbox, jump, now } = testRig([]);
  const polledAt: number[] = [];
  outbox.readNew = async () => {
    polledAt.push(now());
    jump(50);
    relay.wake();
    return [];
  };
  relay.start();
  await until(() => expect(polledAt.length).toBeGreaterThan(6));
  const intervals = polledAt.slice(1).map((time, index) => time - (polledAt[index] ?? 0));
  expect(Math.min(...intervals)).toBe(100);
});
