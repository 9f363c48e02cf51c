import fc from "fast-check";
import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { OutboxEntry } from "./outbox.ts";
import { StoreWindows } from "./store-windows.ts";

const limits = { out: 3, held: 5 };

const store = fc.nat(2);
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant("commit" as const), store, certificate: fc.nat(4) }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("look" as const), store }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("beginReads" as const), store }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("endReads" as const), store }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("publish" as const), store }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const), store }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("settle" as const),
        which: fc.nat(20),
        isNotified: fc.boolean(),
      }),
    },
  ),
  { maxLength: 200 },
);

/** The outbox, the relay's steps around the windows, and notifiers that settle in any order what was published. */
class World {
  readonly windows = new StoreWindows(limits);
  readonly stored: OutboxEntry[] = [];
  readonly #fresh: OutboxEntry[] = [];
  readonly #published = new Map<string, OutboxEntry>();
  readonly #reads: (() => void)[] = [];
  readonly settledInOrder: OutboxEntry[] = [];
  #time = 0;

  commit(storeIndex: number, certificate: number): void {
    const entry: OutboxEntry = {
      eventId: `evt_${++this.#time}`,
      storeId: `sto_${storeIndex}`,
      certificateId: `crt_${storeIndex}_${certificate}`,
      type: EventType.ISSUED,
      at: new Date(this.#time),
      event: new Uint8Array(),
    };
    this.stored.push(entry);
    this.#fresh.push(entry);
  }

  look(): void {
    // What was settled since it was committed is in the outbox no longer.
    this.windows.add(this.#fresh.splice(0, 4).filter((entry) => this.stored.includes(entry)));
  }

  beginReads(): void {
    for (const { storeId, after, add } of this.windows.beginReads(2)) {
      const isNext = (one: OutboxEntry) => one.storeId === storeId && (after === undefined || one.at > after);
      const entries = this.stored.filter(isNext).slice(0, limits.held);
      this.#reads.push(() => add(entries, entries.length < limits.held));
    }
  }

  endReads(): void {
    for (const end of this.#reads.splice(0)) end();
  }

  publish(): void {
    // What was settled while it was read once more has its claim: nothing is sent, and nobody told.
    for (const entry of this.windows.next(this.#time, 10))
      if (this.stored.includes(entry)) this.#published.set(entry.eventId, entry);
    for (const [storeId, out] of Map.groupBy(this.#published.values(), (one) => one.storeId)) {
      expect(out.length, `${storeId}'s window`).toBeLessThanOrEqual(limits.out);
      expect(new Set(out.map((one) => one.certificateId)).size).toBe(out.length);
    }
  }

  settle(which: number, isNotified: boolean): void {
    const entry = [...this.#published.values()][which % Math.max(1, this.#published.size)];
    if (entry === undefined) return;
    this.#published.delete(entry.eventId);
    this.stored.splice(this.stored.indexOf(entry), 1);
    this.settledInOrder.push(entry);
    if (isNotified) this.windows.settle([entry.eventId]);
  }

  /** What the relay finds by looking. */
  lookForSettled(): void {
    for (const { eventIds } of this.windows.outBefore(Number.POSITIVE_INFINITY))
      this.windows.settle(eventIds.filter((eventId) => !this.stored.some((one) => one.eventId === eventId)));
  }
}

test("whatever happens in whatever order: one event of a certificate out, no more than the window, in order, and none is forgotten", () => {
  fc.assert(
    fc.property(steps, (run) => {
      const world = new World();
      for (const step of run) {
        if (step.do === "commit") world.commit(step.store, step.certificate);
        else if (step.do === "settle") world.settle(step.which, step.isNotified);
        else if (step.do === "restart") world.windows.restart(`sto_${step.store}`);
        else world[step.do]();
      }
      for (let round = 0; round < 1_000 && world.stored.length > 0; round++) {
        world.look();
        world.lookForSettled();
        world.beginReads();
        world.endReads();
        world.publish();
        world.settle(round, round % 2 === 0);
      }
      expect(world.stored).toEqual([]);
      const byCertificate = Map.groupBy(world.settledInOrder, ({ certificateId }) => certificateId);
      for (const entries of byCertificate.values()) {
        const times = entries.map(({ at }) => at.getTime());
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      }
      for (let round = 0; round < 20; round++) {
        world.beginReads();
        world.endReads();
        world.publish();
        world.lookForSettled();
      }
      expect([world.windows.outCount, world.windows.waitingStoreCount]).toEqual([0, 0]);
    }),
    { numRuns: 500 },
  );
});

test("a read that began before its store was forgotten changes nothing of what is known since", () => {
  const world = new World();
  world.windows.restart("sto_0");
  world.beginReads();
  world.windows.restart("sto_0");
  world.commit(0, 1);
  world.look();
  world.endReads();
  world.beginReads();
  world.endReads();
  expect(world.windows.waitingStoreCount).toBe(1);
});

test("of stores that want to be read for long, none has its second turn before all had their first", () => {
  const { windows } = new World();
  windows.noteStored(["sto_0", "sto_1", "sto_2"]);
  const turns = Array.from({ length: 6 }, () => {
    const [read] = windows.beginReads(1);
    read?.add([], false);
    return read?.storeId;
  });
  expect(turns).toEqual(["sto_0", "sto_1", "sto_2", "sto_0", "sto_1", "sto_2"]);
});

test("a store that has nothing left is forgotten: its next entries are read from the beginning", () => {
  const world = new World();
  const { windows } = world;
  const readAll = () => {
    const reads = windows.beginReads(10);
    for (const { add } of reads) add([], true);
    return reads.length;
  };
  windows.noteStored(["sto_0"]);
  expect(readAll()).toBe(1);
  windows.noteStored(["sto_0"]);
  expect(readAll()).toBe(1);
  world.commit(0, 1);
  world.look();
  world.publish();
  windows.noteStored(["sto_0"]);
  expect(readAll()).toBe(0);
  world.settle(0, true);
  windows.noteStored(["sto_0"]);
  expect(readAll()).toBe(1);
});
