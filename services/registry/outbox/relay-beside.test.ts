import { expect, onTestFinished, test } from "vitest";
import { entry, type MemoryOutbox, place, stand } from "./relay-fixture.ts";

test("goes on while the stream still stores earlier events", async () => {
  const published: string[] = [];
  const slow = Promise.withResolvers<void>();
  const { relay, outbox, work } = stand([entry("a1")], {
    publish: async ({ eventId }) => {
      published.push(eventId);
      if (eventId === "a1") await slow.promise;
    },
  });
  relay.start();
  await work();
  outbox.put(entry("b1"));
  relay.wake();
  await work();
  expect(published).toEqual(["a1", "b1"]);
  slow.resolve();
});

test("has no more than 500 events on their way to the stream", async () => {
  const entries = Array.from({ length: 600 }, (_, index) => entry(`a${index}`, `sto_${index}`));
  let onTheirWay = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  const { relay, work } = stand(entries, {
    publish: async () => {
      most = Math.max(most, ++onTheirWay);
      await new Promise<void>((resolve) => waiting.push(resolve));
      onTheirWay--;
    },
  });
  relay.start();
  await work(1_000);
  expect([waiting.length, most]).toEqual([500, 500]);
  for (const store of waiting.splice(0)) store();
  await work();
  expect(waiting).toHaveLength(100);
  for (const store of waiting) store();
});

/** Makes a method's next calls wait until it is let go. */
function holdUp<K extends "ofStore" | "stores" | "unsettled">(outbox: MemoryOutbox, method: K) {
  const gate = Promise.withResolvers<void>();
  const original = outbox[method].bind(outbox) as (...args: unknown[]) => Promise<unknown>;
  let going = 0;
  const held = async (...args: unknown[]) => {
    going++;
    // As of when it was asked, like a database.
    const answer = await original(...args);
    await gate.promise;
    going--;
    return answer;
  };
  Object.assign(outbox, { [method]: held });
  onTestFinished(() => gate.resolve());
  return { letGo: gate.resolve, going: () => going };
}

test.each(["ofStore", "stores", "unsettled"] as const)(
  "holds up no store's new events while the outbox takes long for %s",
  async (method) => {
    const backlog = Array.from(place.slice(0, 20), (certificate) => entry(`${certificate}1`));
    const { relay, outbox, work, settle, jump, published } = stand(backlog);
    relay.start();
    await work();
    const held = holdUp(outbox, method);
    await settle("a1");
    await settle("b1");
    await settle("c1");
    for (let second = 0; second < 31; second++) {
      jump(1_000);
      await work(5);
    }
    expect(held.going()).toBe(1);
    outbox.put(entry("y2", "sto_2"));
    relay.wake();
    await work();
    expect(published()).toContain("y2");
    // What came to the store whose backlog is being read is not forgotten.
    outbox.put(entry("z3"));
    relay.wake();
    await work();
    held.letGo();
    await work();
    for (const letter of place.slice(3, 20)) await settle(`${letter}1`);
    await settle("y2");
    expect(published()).toContain("z3");
  },
);

test("reads no more than eight backlogs at the same time, those of all stores in turn", async () => {
  const entries = Array.from(place, (letter) => entry(`${letter}1`, `sto_${letter}`));
  const { relay, outbox, work, published } = stand(entries);
  const held = holdUp(outbox, "ofStore");
  relay.start();
  await work();
  expect(held.going()).toBe(8);
  held.letGo();
  await work(500);
  expect(published()).toHaveLength(place.length);
});

test("stops when what is on its way to the stream has arrived", async () => {
  const slow = Promise.withResolvers<void>();
  const { log, relay, work } = stand([entry("a1")], { publish: () => slow.promise });
  relay.start();
  await work();
  const stopped = relay.stop().then(() => log.push("stopped"));
  await work();
  expect(log).toEqual(["prepare"]);
  slow.resolve();
  await stopped;
  expect(log).toEqual(["prepare", "release", "stopped"]);
});

test("looks again when what it found before is noted as taken, so that it finds nothing twice", async () => {
  const { relay, outbox, work } = stand([]);
  relay.start();
  await work();
  const slow = Promise.withResolvers<void>();
  const { take, fresh } = outbox;
  let looks = 0;
  outbox.take = (eventIds) => slow.promise.then(() => take.call(outbox, eventIds));
  outbox.fresh = async (countMax) => {
    looks++;
    return fresh.call(outbox, countMax);
  };
  outbox.put(entry("a1"));
  relay.wake();
  await work();
  expect(looks).toBe(1);
  slow.resolve();
  await work();
  expect(looks).toBeGreaterThan(1);
});

test("spends half of its time on looking at the most, however often it is told of something", async () => {
  const { relay, outbox, work, jump, now } = stand([]);
  const looks: number[] = [];
  outbox.fresh = async () => {
    looks.push(now());
    jump(50);
    relay.wake();
    return [];
  };
  relay.start();
  await work();
  const between = looks.slice(1).map((time, index) => time - (looks[index] ?? 0));
  expect(between.length).toBeGreaterThan(5);
  expect(Math.min(...between)).toBe(100);
});
