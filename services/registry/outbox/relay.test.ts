import { expect, test } from "vitest";
import { entry, place, stand } from "./relay-fixture.ts";

test("makes the stream, publishes what waits, and gives the lease back when it stops", async () => {
  const { log, relay, work } = stand([entry("a1"), entry("b1")]);
  relay.start();
  await work();
  await relay.stop();
  expect(log).toEqual(["prepare", "a1", "b1", "release"]);
});

test.each([
  ["pauses after a look that found all there is", 2, [0, 200, 400]],
  ["looks again at once after one that found as much as it takes", 700, [0, 0, 200]],
])("%s", async (_what, count, looks) => {
  const entries = Array.from({ length: count }, (_, index) => entry(`a${index + 1}`, `sto_${index}`));
  const { relay, outbox, work, now } = stand(entries);
  const looked: number[] = [];
  const fresh = outbox.fresh.bind(outbox);
  outbox.fresh = (countMax) => {
    looked.push(now());
    return fresh(countMax);
  };
  // Nothing is there yet when it begins to lead.
  outbox.takeAll = async () => undefined;
  outbox.stores = async () => [];
  relay.start();
  await work(200);
  expect(looked.slice(0, 3)).toEqual(looks);
});

test("keeps a certificate's next event back until the one before it is settled", async () => {
  const { relay, work, settle, published } = stand([entry("a1"), entry("a2"), entry("a3")]);
  relay.start();
  await work();
  expect(published()).toEqual(["a1"]);
  await settle("a1");
  expect(published()).toEqual(["a1", "a2"]);
  // Nobody tells: it is found by looking.
  await settle("a2", false);
  await work(500);
  expect(published()).toEqual(["a1", "a2", "a3"]);
});

test("has no more of a store out than its window, and other stores do not wait for it", async () => {
  const backlog = Array.from(place.slice(0, 20), (certificate) => entry(`${certificate}1`));
  const { relay, outbox, work, settle, published } = stand(backlog);
  relay.start();
  await work();
  expect(published()).toEqual(["a1", "b1"]);
  outbox.put(entry("y2", "sto_2"));
  relay.wake();
  await work();
  expect(published()).toEqual(["a1", "b1", "y2"]);
  await settle("b1");
  expect(published()).toEqual(["a1", "b1", "y2", "c1"]);
  for (const eventId of ["a1", ...Array.from(place.slice(2, 20), (letter) => `${letter}1`)])
    await settle(eventId);
  expect(published().toSorted()).toEqual([...backlog.map(({ eventId }) => eventId), "y2"].toSorted());
});

test("that takes over publishes what is not settled anew, and nothing that is", async () => {
  const { relay, outbox, work, published } = stand([entry("a1"), entry("b1"), entry("a2")]);
  await outbox.takeAll();
  outbox.entries.delete("a1");
  relay.start();
  await work();
  expect(published()).toEqual(["b1", "a2"]);
});

test("does nothing while another holds the lease, and tells so", async () => {
  let isOurs = false;
  const { log, relay, work } = stand([entry("a1")], {
    lease: { hold: async () => isOurs, release: async () => undefined },
  });
  relay.start();
  await work();
  expect([log, relay.isLeading]).toEqual([[], false]);
  isOurs = true;
  await work();
  expect([log, relay.isLeading]).toEqual([["prepare", "a1"], true]);
});

test("asks for the lease again every second, and stops when it is lost", async () => {
  let asked = 0;
  const { log, relay, outbox, work } = stand([entry("a1")], {
    lease: { hold: async () => ++asked <= 3, release: async () => undefined },
  });
  relay.start();
  await work(500);
  expect(asked).toBeGreaterThan(3);
  log.length = 0;
  outbox.put(entry("c1"));
  await work();
  expect([log, relay.isLeading]).toEqual([[], false]);
});

test("looks at everything anew when the lease may have been another's meanwhile", async () => {
  const { relay, outbox, work, jump, published } = stand([entry("a1")]);
  relay.start();
  await work();
  // Another relay took this entry, and died.
  outbox.put(entry("b1"));
  await outbox.takeAll();
  await work();
  expect(published()).toEqual(["a1"]);
  jump(6_000);
  await work();
  expect(published()).toContain("b1");
});

test("takes what it read only if the lease was certainly its own when it had read", async () => {
  const calls: string[] = [];
  let delayMs = 0;
  const { relay, outbox, work, jump, published } = stand([], {
    lease: {
      hold: async () => {
        calls.push("hold");
        return true;
      },
      release: async () => undefined,
    },
  });
  const { fresh, take } = outbox;
  outbox.fresh = async (countMax) => {
    const entries = await fresh.call(outbox, countMax);
    if (entries.length > 0) calls.push("read");
    jump(delayMs);
    delayMs = 0;
    return entries;
  };
  outbox.take = async (eventIds) => {
    calls.push("take");
    await take.call(outbox, eventIds);
  };
  relay.start();
  await work();
  calls.length = 0;
  outbox.put(entry("a1"));
  delayMs = 4_500;
  await work();
  // What it read first is not used: it asks for the lease and reads again.
  expect(calls.slice(calls.indexOf("read"), calls.indexOf("take") + 1)).toEqual([
    "read",
    "hold",
    "read",
    "take",
  ]);
  expect(published()).toEqual(["a1"]);
});

test("publishes again what is not settled for very long: the stream may have lost it", async () => {
  const { relay, work, jump, published, now } = stand([entry("a1")]);
  relay.start();
  await work();
  // In short steps, so that the lease stays.
  const until = async (timeMs: number) => {
    while (now() < timeMs) {
      jump(500);
      await work(2);
    }
  };
  await until(295_000);
  expect(published()).toEqual(["a1"]);
  await until(310_000);
  expect(published()).toEqual(["a1", "a1"]);
});

test("after a failure publishes what was not stored, and makes the stream again before it goes on", async () => {
  let failures = 2;
  const stored = new Set<string>();
  const { log, relay, work } = stand([entry("a1"), entry("b1")], {
    publish: async ({ eventId }) => {
      if (eventId === "b1" && failures-- > 0) throw new Error("no stream");
      stored.add(eventId);
    },
  });
  relay.start();
  await work();
  expect([...stored]).toEqual(["a1", "b1"]);
  expect(log).toEqual(["prepare", "prepare", "prepare"]);
});

test.each(["outbox", "lease", "stream"])(
  "waits and tries again while the %s cannot be reached",
  async (what) => {
    let failures = 0;
    const mayFail = async (part: string) => {
      if (part === what && ++failures <= 3) throw new Error("away");
    };
    const { relay, outbox, work, published } = stand([entry("a1")], {
      lease: {
        hold: async () => {
          await mayFail("lease");
          return true;
        },
        release: async () => undefined,
      },
      prepare: () => mayFail("stream"),
    });
    const { fresh } = outbox;
    outbox.fresh = async (countMax) => {
      await mayFail("outbox");
      return fresh.call(outbox, countMax);
    };
    relay.start();
    await work();
    expect(failures).toBeGreaterThan(3);
    expect(published()).toContain("a1");
  },
);
