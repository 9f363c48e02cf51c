import fc from "fast-check";
import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { OutboxEntry } from "./outbox.ts";
import { StoreWindows } from "./store-windows.ts";

const limits = { inFlightMax: 3, bufferedMax: 5 };

const weights = { commit: 6, poll: 3, beginReads: 2, endReads: 2, publish: 4, restart: 1, settle: 4 };
const kinds = Object.keys(weights) as (keyof typeof weights)[];
const kind = fc.oneof(...kinds.map((name) => ({ weight: weights[name], arbitrary: fc.constant(name) })));
const target = { store: fc.nat(2), certificate: fc.nat(4), which: fc.nat(20), isNotified: fc.boolean() };
const steps = fc.array(fc.record({ do: kind, ...target }), { maxLength: 200 });

/** Simulates the outbox, the relay's calls to the windows, and notifiers that settle published events in any order. */
class Simulation {
  readonly windows = new StoreWindows(limits);
  readonly stored: OutboxEntry[] = [];
  readonly #newEntries: OutboxEntry[] = [];
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
    this.#newEntries.push(entry);
  }

  poll(): void {
    // An entry that is already settled is no longer in the outbox.
    this.windows.add(this.#newEntries.splice(0, 4).filter((entry) => this.stored.includes(entry)));
  }

  beginReads(): void {
    for (const { storeId, after, complete } of this.windows.beginReads(2)) {
      const isNext = (one: OutboxEntry) => one.storeId === storeId && (after === undefined || one.at > after);
      const entries = this.stored.filter(isNext).slice(0, limits.bufferedMax);
      this.#reads.push(() => complete(entries, entries.length < limits.bufferedMax));
    }
  }

  endReads(): void {
    for (const end of this.#reads.splice(0)) end();
  }

  publish(): void {
    // If an event is settled while its entry is being read again, its claim prevents a second delivery.
    for (const entry of this.windows.next(this.#time, 10))
      if (this.stored.includes(entry)) this.#published.set(entry.eventId, entry);
    for (const [storeId, inFlight] of Map.groupBy(this.#published.values(), (one) => one.storeId)) {
      expect(inFlight.length, `${storeId}'s window`).toBeLessThanOrEqual(limits.inFlightMax);
      expect(new Set(inFlight.map((one) => one.certificateId)).size).toBe(inFlight.length);
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

  /** Removes settled events from the windows, as the reconciler does. */
  reconcile(): void {
    const checked = this.windows.takeChecks(Number.POSITIVE_INFINITY, 3);
    this.windows.settle(checked.filter((eventId) => !this.stored.some((one) => one.eventId === eventId)));
  }
}

test("settles each certificate's events in order under any schedule, with at most one of them in flight", () => {
  fc.assert(
    fc.property(steps, (run) => {
      const simulation = new Simulation();
      for (const step of run) {
        if (step.do === "commit") simulation.commit(step.store, step.certificate);
        else if (step.do === "settle") simulation.settle(step.which, step.isNotified);
        else if (step.do === "restart") simulation.windows.restart(`sto_${step.store}`);
        else simulation[step.do]();
      }
      for (let round = 0; round < 1_000 && simulation.stored.length > 0; round++) {
        simulation.poll();
        simulation.reconcile();
        simulation.beginReads();
        simulation.endReads();
        simulation.publish();
        simulation.settle(round, round % 2 === 0);
      }
      expect(simulation.stored).toEqual([]);
      const byCertificate = Map.groupBy(simulation.settledInOrder, ({ certificateId }) => certificateId);
      for (const entries of byCertificate.values()) {
        const times = entries.map(({ at }) => at.getTime());
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      }
      for (let round = 0; round < 20; round++) {
        simulation.beginReads();
        simulation.endReads();
        simulation.publish();
        simulation.reconcile();
      }
      expect([simulation.windows.inFlightCount, simulation.windows.waitingStoreCount]).toEqual([0, 0]);
    }),
    { numRuns: 500 },
  );
});

test("ignores the result of a backlog read that began before the store's window was restarted", () => {
  const simulation = new Simulation();
  simulation.windows.restart("sto_0");
  simulation.beginReads();
  simulation.windows.restart("sto_0");
  simulation.commit(0, 1);
  simulation.poll();
  simulation.endReads();
  simulation.beginReads();
  simulation.endReads();
  expect(simulation.windows.waitingStoreCount).toBe(1);
});

test("reads the backlogs of stores round-robin", () => {
  const { windows } = new Simulation();
  windows.noteBacklog(["sto_0", "sto_1", "sto_2"]);
  const turns = Array.from({ length: 6 }, () => {
    const [read] = windows.beginReads(1);
    read?.complete([], false);
    return read?.storeId;
  });
  expect(turns).toEqual(["sto_0", "sto_1", "sto_2", "sto_0", "sto_1", "sto_2"]);
});

test("drops the window of a store without unsettled events, and opens a new window for a later backlog", () => {
  const simulation = new Simulation();
  const { windows } = simulation;
  const readAll = () => {
    const reads = windows.beginReads(10);
    for (const { complete } of reads) complete([], true);
    return reads.length;
  };
  windows.noteBacklog(["sto_0"]);
  expect(readAll()).toBe(1);
  windows.noteBacklog(["sto_0"]);
  expect(readAll()).toBe(1);
  simulation.commit(0, 1);
  simulation.poll();
  simulation.publish();
  windows.noteBacklog(["sto_0"]);
  expect(readAll()).toBe(0);
  simulation.settle(0, true);
  windows.noteBacklog(["sto_0"]);
  expect(readAll()).toBe(1);
});

/** Publishes the given number of events for each of the stores. */
function publishEach(windows: StoreWindows, storeCount: number, eventCount: number): void {
  const events = Array.from({ length: eventCount }, (_, index) => index);
  for (let store = 0; store < storeCount; store++) {
    const toEntry = (index: number): OutboxEntry => ({
      eventId: `evt_${store}_${index}`,
      storeId: `sto_${store}`,
      certificateId: `crt_${store}_${index}`,
      type: EventType.ISSUED,
      at: new Date(index),
      event: new Uint8Array(),
    });
    windows.add(events.map(toEntry));
  }
  windows.next(0, Number.POSITIVE_INFINITY);
}

test("checks the events of all stores in turn, a limited number at a time", () => {
  const windows = new StoreWindows({ inFlightMax: 2, bufferedMax: 8 });
  publishEach(windows, 5, 2);
  const runs = [500, 500, 500, 1_000, 1_000].map((now) => windows.takeChecks(now, 3));
  expect(runs.map((eventIds) => eventIds.map((eventId) => eventId.split("_")[1]).join(" "))).toEqual([
    "0 0 1 1",
    "2 2 3 3",
    "4 4",
    "0 0 1 1",
    "2 2 3 3",
  ]);
});

// If each restart searched the events of all stores, this test would take half a minute.
test("restarts the windows of all stores after an outage of the notifiers", { timeout: 15_000 }, () => {
  const windows = new StoreWindows({ inFlightMax: 100, bufferedMax: 400 });
  publishEach(windows, 5_000, 100);
  expect(windows.inFlightCount).toBe(500_000);
  expect(windows.storesInFlightSince(0)).toEqual([]);
  const lost = windows.storesInFlightSince(1);
  expect(lost).toHaveLength(5_000);
  for (const storeId of lost) windows.restart(storeId);
  expect([windows.inFlightCount, windows.waitingStoreCount]).toEqual([0, 5_000]);
});
