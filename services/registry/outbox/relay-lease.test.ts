import { expect, test } from "vitest";
import { allPartitions, partitionCount, partitionOf } from "#shared/nats/event-stream.ts";
import { MemoryTasks } from "../leases/shared-tasks-fixture.ts";
import { entry, letters, MemoryOutbox, partitionsIf, testRig, until } from "./relay-fixture.ts";

/** One store of each partition. */
const storeOfPartition = (() => {
  const stores = new Map<number, string>();
  for (let number = 0; stores.size < partitionCount; number++) {
    const storeId = `sto_${number}`;
    if (!stores.has(partitionOf(storeId))) stores.set(partitionOf(storeId), storeId);
  }
  return (partition: number) => stores.get(partition) ?? "";
})();

test("leaves the partitions to a relay that can reach the stream", async () => {
  const tasks = new MemoryTasks(partitionCount);
  const outbox = new MemoryOutbox(
    allPartitions.map((partition) => entry(`a${partition}`, storeOfPartition(partition))),
  );
  let isReachable = true;
  const prepare = async () => {
    if (!isReachable) throw new Error("no stream");
  };
  const first = testRig(outbox, {
    partitions: tasks.replica(),
    prepare,
    publish: async () => {
      isReachable = false;
      throw new Error("no stream");
    },
  });
  const second = testRig(outbox, { partitions: tasks.replica() });
  first.relay.start();
  await until(() => expect(isReachable).toBe(false));
  second.relay.start();
  await until(() => expect([first.relayedCount(), second.relayedCount()]).toEqual([0, 16]));
  await until(() => expect(new Set(second.published()).size).toBe(16));
});

test("leaves its share for longer each time, while it reaches the stream but cannot publish", async () => {
  const { log, relay, elapse, now } = testRig([entry("a1")], {
    publish: () => Promise.reject(new Error("no acknowledgement")),
  });
  const leftAt: number[] = [];
  relay.start();
  for (let seen = 0; now() < 600_000; await elapse(500)) {
    const count = log.filter((line) => line === "release").length;
    if (count > seen) leftAt.push(now());
    seen = count;
  }
  const pauses = leftAt.slice(1).map((at, index) => at - (leftAt[index] ?? 0));
  expect(pauses.length).toBeGreaterThan(4);
  expect(pauses.length).toBeLessThan(20);
  expect(pauses.at(-1)).toBeGreaterThan(3 * (pauses[0] ?? 0));
});

test("returns at once when NATS reconnects while it is leaving its share", async () => {
  const partitions = partitionsIf(() => true);
  let leftAt: number | undefined;
  let publishedAt: number | undefined;
  const rig: ReturnType<typeof testRig> = testRig([entry("a1")], {
    publish: async () => {
      if (leftAt === undefined) throw new Error("no connection");
      publishedAt ??= rig.now();
    },
    partitions: {
      ...partitions,
      release: async (claims) => {
        await partitions.release(claims);
        if (leftAt === undefined) rig.relay.restart();
        leftAt ??= rig.now();
      },
    },
  });
  rig.relay.start();
  await until(() => expect(publishedAt).toBeDefined());
  expect((publishedAt ?? 0) - (leftAt ?? 0)).toBeLessThan(1_100);
});

test("relays soon after an outage of the stream, however long it was", async () => {
  let isDown = true;
  const failing = async () => {
    if (isDown) throw new Error("no stream");
  };
  const { relay, elapse, now, published, log } = testRig([entry("a1")], {
    prepare: failing,
    publish: async ({ eventId }) => {
      await failing();
      log.push(eventId);
    },
  });
  relay.start();
  await elapse(600_000);
  isDown = false;
  const endedAt = now();
  await until(() => expect(published()).toEqual(["a1"]));
  expect(now() - endedAt).toBeLessThan(5_000);
});

test("keeps its leases after transient failures", async () => {
  let failures = 2;
  const { log, relay, elapse } = testRig([entry("a1")], {
    publish: async ({ eventId }) => {
      if (failures-- > 0) throw new Error("no stream");
      log.push(eventId);
    },
  });
  relay.start();
  await until(() => expect(log).toContain("a1"));
  await elapse(10_000);
  expect(log).not.toContain("release");
});

test("renews its leases while it reads which stores have a backlog, and then relays at once", async () => {
  const { relay, outbox, elapse, published, log } = testRig([entry("a1"), entry("b1")]);
  const read = Promise.withResolvers<void>();
  outbox.before("storesWithEntries", () => {
    log.push("read");
    return read.promise;
  });
  relay.start();
  await elapse(20_000);
  expect([published(), log]).toEqual([[], ["prepare", "read"]]);
  read.resolve();
  await until(() => expect(published()).toEqual(["a1", "b1"]));
  expect(log.filter((line) => line === "prepare")).toHaveLength(1);
});

test("relays its partitions while it takes over the others of a relay that has left", async () => {
  const tasks = new MemoryTasks(partitionCount);
  const outbox = new MemoryOutbox([]);
  const [first, second] = [
    testRig(outbox, { partitions: tasks.replica() }),
    testRig(outbox, { partitions: tasks.replica() }),
  ];
  first.relay.start();
  await until(() => expect(first.relayedCount()).toBe(16));
  second.relay.start();
  await until(() => expect([first.relayedCount(), second.relayedCount()]).toEqual([8, 8]));
  const read = Promise.withResolvers<void>();
  const ours = allPartitions.filter((partition) => second.relay.relays(partition));
  outbox.before("storesWithEntries", () => read.promise);
  await first.relay.stop();
  await until(() => expect(tasks.leased("task")).toHaveLength(16));
  outbox.put(...allPartitions.map((partition) => entry(`n${partition}`, storeOfPartition(partition))));
  await until(() => expect(second.published().toSorted()).toEqual(ours.map((partition) => `n${partition}`).toSorted()));
  read.resolve();
  await until(() => expect(second.published()).toHaveLength(16));
  expect(second.relayedCount()).toBe(16);
});

test("publishes each certificate's events in order while partitions move between relays", async () => {
  const tasks = new MemoryTasks(partitionCount);
  const outbox = new MemoryOutbox([]);
  const published: string[] = [];
  const rigs = new Set<ReturnType<typeof testRig>>();
  const start = () => {
    const rig = testRig(outbox, {
      partitions: tasks.replica(),
      publish: async ({ eventId }) => {
        published.push(eventId);
        outbox.entries.delete(eventId);
        // A relay ignores the events of other relays' partitions.
        for (const { relay } of rigs) relay.settle([eventId]);
      },
    });
    rigs.add(rig);
    rig.relay.start();
    return rig;
  };
  const rounds = Array.from({ length: 30 }, (_, index) => index + 1);
  const idOf = (partition: number, round: number) => `${storeOfPartition(partition)} ${round}`;
  const first = start();
  for (const round of rounds) {
    for (const partition of allPartitions)
      outbox.put({ ...entry(`a${round}`, storeOfPartition(partition)), eventId: idOf(partition, round) });
    if (round === 5 || round === 12) start();
    if (round === 20) {
      rigs.delete(first);
      await first.relay.stop();
    }
    // Leaves some events to the next round, so that a certificate has several that wait.
    if (round % 3 === 0) await until(() => expect(outbox.entries.size).toBe(0));
  }
  await until(() => expect(outbox.entries.size).toBe(0));
  await until(() => expect(Array.from(rigs, ({ relayedCount }) => relayedCount())).toEqual([8, 8]));
  for (const partition of allPartitions) {
    // A takeover can publish an event again, which JetStream drops.
    const ofStore = new Set(published.filter((id) => id.startsWith(`${storeOfPartition(partition)} `)));
    expect([...ofStore]).toEqual(rounds.map((round) => idOf(partition, round)));
  }
});

test("gives a partition up only after the stream has acknowledged its published events", async () => {
  const tasks = new MemoryTasks(partitionCount);
  const acknowledged = Promise.withResolvers<undefined>();
  const stores = allPartitions.map(storeOfPartition);
  const outbox = new MemoryOutbox(stores.map((storeId, partition) => entry(`a${partition}`, storeId)));
  const first = testRig(outbox, {
    partitions: tasks.replica(),
    publish: ({ eventId }) => {
      first.log.push(eventId);
      return acknowledged.promise;
    },
  });
  const second = testRig(outbox, { partitions: tasks.replica() });
  first.relay.start();
  await until(() => expect(first.published()).toHaveLength(16));
  second.relay.start();
  await until(() => expect(tasks.leased("seat")).toHaveLength(2));
  await second.elapse(20_000);
  expect([first.relayedCount(), second.relayedCount(), tasks.leased("task").length]).toEqual([8, 0, 16]);
  acknowledged.resolve(undefined);
  await until(() => expect([first.relayedCount(), second.relayedCount()]).toEqual([8, 8]));
});

test("publishes nothing more of a partition that it has given up", async () => {
  const tasks = new MemoryTasks(partitionCount);
  const outbox = new MemoryOutbox([]);
  const idOf = (partition: number, number: number) => `${storeOfPartition(partition)} ${number}`;
  for (const partition of allPartitions)
    for (const number of [1, 2])
      outbox.put({ ...entry(`a${number}`, storeOfPartition(partition)), eventId: idOf(partition, number) });
  const publishing = () => {
    const published: string[] = [];
    const publish = async ({ eventId }: { readonly eventId: string }) => void published.push(eventId);
    return { ...testRig(outbox, { partitions: tasks.replica(), publish }), published };
  };
  const [first, second] = [publishing(), publishing()];
  first.relay.start();
  await until(() => expect(first.published).toHaveLength(16));
  second.relay.start();
  await until(() => expect([first.relayedCount(), second.relayedCount()]).toEqual([8, 8]));
  const settled = allPartitions.map((partition) => idOf(partition, 1));
  for (const eventId of settled) outbox.entries.delete(eventId);
  for (const { relay } of [first, second]) relay.settle(settled);
  await first.elapse(10_000);
  await second.elapse(10_000);
  for (const { relay, published } of [first, second]) {
    const ours = allPartitions.filter((partition) => relay.relays(partition));
    const next = published.filter((eventId) => eventId.endsWith(" 2"));
    expect(next.toSorted()).toEqual(ours.map((partition) => idOf(partition, 2)).toSorted());
  }
});

test("takes a partition over again that it lost and claimed again at once", async () => {
  const partitions = partitionsIf(() => true);
  let isLost = false;
  const { relay, outbox, elapse, published } = testRig([], {
    partitions: {
      ...partitions,
      renew: async (claims) => {
        if (isLost) await partitions.release(claims);
        isLost = false;
        return partitions.renew(claims);
      },
    },
  });
  relay.start();
  await elapse(2_000);
  // Another relay had all partitions, took this entry and left.
  outbox.put(entry("a1"));
  await outbox.markTaken(["a1"]);
  isLost = true;
  await elapse(5_000);
  expect(published()).toEqual(["a1"]);
});

test("marks no entry as taken if the leases are lost while the stream is being prepared", async () => {
  let isHeld = true;
  const { relay, outbox, elapse, jump } = testRig([entry("a1")], {
    partitions: partitionsIf(() => isHeld),
    prepare: async () => {
      isHeld = false;
      jump(1_000);
    },
  });
  relay.start();
  await until(() => expect(isHeld).toBe(false));
  await elapse(10_000);
  expect(outbox.taken).toEqual(new Set());
});

test("hides no entry from other relays when it loses its partitions during a paused takeover", async () => {
  let isHeld = true;
  const { relay, outbox, elapse, jump, published } = testRig([], { partitions: partitionsIf(() => isHeld) });
  const paused = Promise.withResolvers<void>();
  outbox.before("advanceMark", () => paused.promise);
  relay.start();
  await elapse(2_000);
  isHeld = false;
  jump(10_000);
  await elapse(5_000);
  // Read by no relay yet.
  outbox.put(entry("a1"));
  paused.resolve();
  await elapse(10_000);
  expect([published(), outbox.taken]).toEqual([[], new Set()]);
});

test("does not relay a partition that another replica has held since the takeover began", async () => {
  let isHeld = true;
  const { relay, outbox, elapse, published, relayedCount } = testRig([entry("a1")], {
    partitions: partitionsIf(() => isHeld),
  });
  const read = Promise.withResolvers<void>();
  outbox.before("storesWithEntries", () => read.promise);
  relay.start();
  await elapse(2_000);
  isHeld = false;
  await elapse(3_000);
  read.resolve();
  await elapse(10_000);
  expect([published(), relayedCount()]).toEqual([[], 0]);
});

test("when restarted, prepares the stream again and republishes unsettled events", async () => {
  const { log, relay } = testRig([entry("a1")]);
  relay.start();
  await until(() => expect(log).toEqual(["prepare", "a1"]));
  relay.restart();
  await until(() => expect(log).toEqual(["prepare", "a1", "prepare", "a1"]));
});

test("retries a failed read of a store's backlog without delaying other stores", async () => {
  const entries = Array.from(letters.slice(0, 4), (letter) => entry(`${letter}1`, `sto_${letter}`));
  let failures = 5;
  const { log, relay, outbox, published } = testRig(entries);
  outbox.before("readBacklog", (storeId) => {
    if (storeId === "sto_a" && failures-- > 0) throw new Error("too slow");
  });
  relay.start();
  await until(() => expect(published()).toEqual(["b1", "c1", "d1"]));
  await until(() => expect(published()).toEqual(["b1", "c1", "d1", "a1"]));
  expect(log.filter((line) => line === "prepare")).toHaveLength(1);
});
