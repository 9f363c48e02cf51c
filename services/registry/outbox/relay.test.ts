import { expect, test } from "vitest";
import { entry, letters, partitionsIf, testRig, until } from "./relay-fixture.ts";

test("prepares the stream, publishes the backlog, and releases all leases when it stops", async () => {
  const { log, relay } = testRig([entry("a1"), entry("b1")]);
  relay.start();
  await until(() => expect(log).toContain("b1"));
  await relay.stop();
  expect(log).toEqual(["prepare", "a1", "b1", "release"]);
});

test.each([
  ["pauses after a poll that returned all new entries", 2, [0, 1_000, 2_000]],
  ["polls again immediately after a full batch", 700, [0, 0, 1_000]],
])("%s", async (_title, count, pollTimes) => {
  const entries = Array.from({ length: count }, (_, index) => entry(`a${index + 1}`, `sto_${index}`));
  const { relay, outbox, now } = testRig(entries);
  const polledAt: number[] = [];
  outbox.before("readNew", () => polledAt.push(now()));
  // Hides the entries from the takeover, so that they are still new for the polls.
  outbox.storesWithEntries = async () => [];
  relay.start();
  await until(() => expect(polledAt.length).toBeGreaterThanOrEqual(3));
  expect(polledAt.slice(0, 3).map((time) => time - (polledAt[0] ?? 0))).toEqual(pollTimes);
});

test("publishes a certificate's next event only after the previous one is settled", async () => {
  const { relay, elapse, settle, published } = testRig([entry("a1"), entry("a2"), entry("a3")]);
  relay.start();
  await until(() => expect(published()).toEqual(["a1"]));
  await elapse(1_000);
  expect(published()).toEqual(["a1"]);
  await settle("a1");
  await until(() => expect(published()).toEqual(["a1", "a2"]));
  // Reconciliation finds a settled event although its notification was lost.
  await settle("a2", false);
  await until(() => expect(published()).toEqual(["a1", "a2", "a3"]));
});

test("limits a store's events in flight to its window, without delaying other stores", async () => {
  const backlog = Array.from(letters.slice(0, 20), (certificate) => entry(`${certificate}1`));
  const { relay, outbox, elapse, settle, published } = testRig(backlog);
  relay.start();
  await until(() => expect(published()).toEqual(["a1", "b1"]));
  await elapse(1_000);
  expect(published()).toEqual(["a1", "b1"]);
  outbox.put(entry("y2", "sto_2"));
  relay.wake();
  await until(() => expect(published()).toEqual(["a1", "b1", "y2"]));
  await settle("b1");
  await until(() => expect(published()).toEqual(["a1", "b1", "y2", "c1"]));
  for (const eventId of ["a1", ...Array.from(letters.slice(2, 20), (letter) => `${letter}1`)]) await settle(eventId);
  expect(published().toSorted()).toEqual([...backlog.map(({ eventId }) => eventId), "y2"].toSorted());
});

test("republishes exactly the unsettled events when it takes over", async () => {
  const { relay, outbox, elapse, published } = testRig([entry("a1"), entry("b1"), entry("a2")]);
  await outbox.markTaken(["a1", "b1", "a2"]);
  outbox.entries.delete("a1");
  relay.start();
  await until(() => expect(published()).toEqual(["b1", "a2"]));
  await elapse(1_000);
  expect(published()).toEqual(["b1", "a2"]);
});

test("publishes nothing while other replicas hold the leases", async () => {
  let isHeld = false;
  const { log, relay, elapse, relayedCount } = testRig([entry("a1")], { partitions: partitionsIf(() => isHeld) });
  relay.start();
  await elapse(10_000);
  expect([log, relayedCount()]).toEqual([["prepare"], 0]);
  isHeld = true;
  await until(() => expect([log, relayedCount()]).toEqual([["prepare", "a1"], 16]));
});

test("renews the leases, and stops publishing when they are lost", async () => {
  let isHeld = true;
  const { relay, outbox, elapse, published, relayedCount } = testRig([entry("a1")], {
    partitions: partitionsIf(() => isHeld),
  });
  relay.start();
  await elapse(20_000);
  expect(relayedCount()).toBe(16);
  isHeld = false;
  await until(() => expect(relayedCount()).toBe(0));
  outbox.put(entry("c1"));
  await elapse(10_000);
  expect([published(), relayedCount()]).toEqual([["a1"], 0]);
});

test("reads a partition's entries again when another replica has held its lease", async () => {
  let isHeld = true;
  const { relay, outbox, elapse, published } = testRig([entry("a1")], { partitions: partitionsIf(() => isHeld) });
  relay.start();
  await until(() => expect(published()).toEqual(["a1"]));
  // Another relay took this entry and crashed.
  outbox.put(entry("b1"));
  await outbox.markTaken(["b1"]);
  await elapse(5_000);
  expect(published()).toEqual(["a1"]);
  isHeld = false;
  await elapse(2_000);
  isHeld = true;
  await until(() => expect(published()).toContain("b1"));
});

test("marks entries as taken only if it is still certain of its leases after reading them", async () => {
  const calls: string[] = [];
  let delayMs = 0;
  const partitions = partitionsIf(() => calls.push("acquire") > 0);
  const { relay, outbox, jump, published, relayedCount } = testRig([], { partitions });
  const { readNew } = outbox;
  outbox.readNew = async (...args) => {
    const entries = await readNew.apply(outbox, args);
    if (entries.length > 0) calls.push("read");
    jump(delayMs);
    delayMs = 0;
    return entries;
  };
  outbox.before("markTaken", () => calls.push("take"));
  relay.start();
  await until(() => expect(relayedCount()).toBe(16));
  calls.length = 0;
  outbox.put(entry("a1"));
  delayMs = 4_500;
  await until(() => expect(published()).toEqual(["a1"]));
  // The first read is discarded: the relay renews the leases and reads again.
  expect(calls.slice(calls.indexOf("read"), calls.indexOf("take") + 1)).toEqual(["read", "acquire", "read", "take"]);
});

test("republishes events that stay unsettled for five minutes, because the stream may have lost them", async () => {
  const { relay, elapse, published } = testRig([entry("a1")]);
  relay.start();
  await elapse(295_000);
  expect(published()).toEqual(["a1"]);
  await elapse(15_000);
  expect(published()).toEqual(["a1", "a1"]);
});

test("after a failed publish, prepares the stream again and republishes the event that was not stored", async () => {
  let failures = 2;
  const stored = new Set<string>();
  const { log, relay, elapse } = testRig([entry("a1"), entry("b1")], {
    publish: async ({ eventId }) => {
      if (eventId === "b1" && failures-- > 0) throw new Error("no stream");
      stored.add(eventId);
    },
  });
  relay.start();
  await until(() => expect([...stored]).toEqual(["a1", "b1"]));
  await elapse(1_000);
  expect(log).toEqual(["prepare", "prepare", "prepare"]);
});

test.each(["outbox", "lease", "stream"])("retries while the %s is unavailable", async (failing) => {
  let failures = 0;
  const mayFail = async (part: string) => {
    if (part === failing && ++failures <= 3) throw new Error("unavailable");
  };
  const { relay, outbox, published } = testRig([entry("a1")], {
    partitions: partitionsIf(() => mayFail("lease").then(() => true)),
    prepare: () => mayFail("stream"),
  });
  outbox.before("readNew", () => mayFail("outbox"));
  relay.start();
  await until(() => expect(failures).toBeGreaterThan(3));
  await until(() => expect(published()).toContain("a1"));
});
