import { expect, test } from "vitest";
import { entry, leaseOf, letters, testRig, until } from "./relay-fixture.ts";

/** Creates a lease that several relays share. It does not expire: a relay holds it until that relay releases it. */
function sharedLease() {
  let holder: string | undefined;
  const acquire = (name: string) => {
    holder ??= name;
    return holder === name;
  };
  const release = (name: string) => {
    if (holder === name) holder = undefined;
  };
  const of = (name: string, onRelease = () => release(name)) => leaseOf(() => acquire(name), onRelease);
  return { of, holder: () => holder };
}

test("yields the lease to a relay that can reach the stream", async () => {
  const lease = sharedLease();
  const fail = async () => {
    throw new Error("no stream");
  };
  const first = testRig([entry("a1")], { lease: lease.of("first"), publish: fail, prepare: fail });
  const second = testRig([entry("a1")], { lease: lease.of("second") });
  first.relay.start();
  await until(() => expect(lease.holder()).toBe("first"));
  second.relay.start();
  await until(() => expect([lease.holder(), second.published()]).toEqual(["second", ["a1"]]));
});

test("keeps the lease after transient failures", async () => {
  const lease = sharedLease();
  let failures = 2;
  const { log, relay, elapse } = testRig([entry("a1")], {
    lease: lease.of("first", () => log.push("release")),
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

test("takes over even if marking a long backlog as taken outlasts the lease", async () => {
  let requestedAt = Number.NEGATIVE_INFINITY;
  const lease = leaseOf(() => {
    requestedAt = now();
    return true;
  });
  const { relay, outbox, jump, published, now } = testRig([entry("a1"), entry("b1")], { lease });
  let isFirst = true;
  outbox.before("markAllTaken", () => {
    // Only the first attempt has many entries to mark.
    if (isFirst) jump(20_000);
    isFirst = false;
  });
  const leaseAges: number[] = [];
  outbox.before("storesWithEntries", () => {
    leaseAges.push(now() - requestedAt);
    jump(3_500);
  });
  relay.start();
  await until(() => expect(published().slice(0, 2)).toEqual(["a1", "b1"]));
  // The lease was renewed after the slow call.
  expect(leaseAges[0]).toBeLessThan(1_000);
});

test("marks no entry as taken if the lease is lost while the stream is being prepared", async () => {
  let isHeld = true;
  const { relay, outbox, elapse, jump } = testRig([entry("a1")], {
    lease: leaseOf(() => isHeld),
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

test("does not lead after a takeover attempt that outlasts the lease, and pauses before the next attempt", async () => {
  const attemptedAt: number[] = [];
  const { relay, outbox, jump, now } = testRig([entry("a1")]);
  outbox.storesWithEntries = async () => {
    attemptedAt.push(now());
    jump(6_000);
    return ["sto_1"];
  };
  relay.start();
  await until(() => expect(attemptedAt.length).toBeGreaterThan(3));
  expect(relay.isLeading).toBe(false);
  const pauses = attemptedAt.slice(1).map((time, index) => time - (attemptedAt[index] ?? 0) - 6_000);
  expect(new Set(pauses)).toEqual(new Set([1_000]));
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
