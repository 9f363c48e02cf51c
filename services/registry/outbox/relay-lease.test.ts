import { expect, test } from "vitest";
import type { Lease } from "./outbox.ts";
import { entry, place, stand } from "./relay-fixture.ts";

/** A lease that one of several has at a time, for as long as it does not give it back. */
function sharedLease() {
  let holder: string | undefined;
  const of = (name: string): Lease => ({
    hold: async () => {
      holder ??= name;
      return holder === name;
    },
    release: async () => {
      if (holder === name) holder = undefined;
    },
  });
  return { of, holder: () => holder };
}

test("a relay that cannot reach the stream leaves the lease to one that can", async () => {
  const lease = sharedLease();
  const away = async () => {
    throw new Error("no stream");
  };
  const first = stand([entry("a1")], { lease: lease.of("first"), publish: away, prepare: away });
  const second = stand([entry("a1")], { lease: lease.of("second") });
  first.relay.start();
  await first.work(2);
  expect(lease.holder()).toBe("first");
  second.relay.start();
  for (let turn = 0; turn < 20; turn++) {
    await first.work();
    await second.work();
  }
  expect([lease.holder(), second.published()]).toEqual(["second", ["a1"]]);
});

test("a failure that goes by does not cost the lease", async () => {
  const lease = sharedLease();
  let failures = 2;
  const { log, relay, work } = stand([entry("a1")], {
    lease: { ...lease.of("first"), release: async () => void log.push("release") },
    publish: async () => {
      if (failures-- > 0) throw new Error("no stream");
    },
  });
  relay.start();
  await work(200);
  expect(log).not.toContain("release");
});

test("takes over although its first look at a long backlog takes longer than the lease lives", async () => {
  let askedAt = Number.NEGATIVE_INFINITY;
  const { relay, outbox, work, jump, published, now } = stand([entry("a1"), entry("b1")], {
    lease: {
      hold: async () => {
        askedAt = now();
        return true;
      },
      release: async () => undefined,
    },
  });
  const { takeAll, stores } = outbox;
  let isFirst = true;
  outbox.takeAll = async () => {
    // What is taken already is not taken again.
    if (isFirst) jump(20_000);
    isFirst = false;
    await takeAll.call(outbox);
  };
  const sinceAsked: number[] = [];
  outbox.stores = async () => {
    sinceAsked.push(now() - askedAt);
    jump(3_500);
    return stores.call(outbox);
  };
  relay.start();
  await work(200);
  expect(published().slice(0, 2)).toEqual(["a1", "b1"]);
  // The lease was asked for again after what took so long.
  expect(sinceAsked[0]).toBeLessThan(1_000);
});

test("takes nothing when the lease is lost while the stream is made", async () => {
  let isOurs = true;
  const { relay, outbox, work, jump } = stand([entry("a1")], {
    lease: { hold: async () => isOurs, release: async () => undefined },
    prepare: async () => {
      isOurs = false;
      jump(1_000);
    },
  });
  relay.start();
  await work();
  expect(outbox.taken).toEqual(new Set());
});

test("does not count as leading while the lease may be another's, and waits before it tries again", async () => {
  const askedAt: number[] = [];
  const { relay, outbox, work, jump, now } = stand([entry("a1")]);
  outbox.stores = async () => {
    askedAt.push(now());
    jump(6_000);
    return ["sto_1"];
  };
  relay.start();
  await work(10);
  expect(relay.isLeading).toBe(false);
  const pauses = askedAt.slice(1).map((time, index) => time - (askedAt[index] ?? 0) - 6_000);
  expect(new Set(pauses)).toEqual(new Set([1_000]));
});

test("a store whose backlog cannot be read holds up no other, and is read again", async () => {
  const entries = Array.from(place.slice(0, 4), (letter) => entry(`${letter}1`, `sto_${letter}`));
  let failures = 5;
  const { log, relay, outbox, work, published } = stand(entries);
  const { ofStore } = outbox;
  outbox.ofStore = async (storeId, after, countMax) => {
    if (storeId === "sto_a" && failures-- > 0) throw new Error("too slow");
    return ofStore.call(outbox, storeId, after, countMax);
  };
  relay.start();
  await work(10);
  expect(published()).toEqual(["b1", "c1", "d1"]);
  await work(500);
  expect(published()).toEqual(["b1", "c1", "d1", "a1"]);
  expect(log.filter((line) => line === "prepare")).toHaveLength(1);
});
