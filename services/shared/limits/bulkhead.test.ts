import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Bulkhead, type Ticket } from "./bulkhead.ts";
import { BulkheadModel } from "./bulkhead-model-fixture.ts";

const bounds = { inFlightMax: 3, inFlightPerStoreMax: 2, waitingMax: 8 };

function ticketsOf(store: string, count: number): Ticket[] {
  return Array.from({ length: count }, () => ({ store }));
}

/** Starts tickets until no more can start. @returns the stores, in order of start */
function startAll(bulkhead: Bulkhead<Ticket>): string[] {
  const stores: string[] = [];
  for (let ticket = bulkhead.startNext(); ticket !== undefined; ticket = bulkhead.startNext())
    stores.push(ticket.store);
  return stores;
}

describe("Bulkhead", () => {
  test("starts work up to the per-store and total limits, and queues the rest", () => {
    const bulkhead = new Bulkhead(bounds);
    const arrivals = [...ticketsOf("a", 3), ...ticketsOf("b", 2)].map((ticket) => bulkhead.arrive(ticket));
    expect(arrivals).toEqual(["started", "started", "queued", "started", "queued"]);
  });

  test("refuses work from a store that uses half of the queue, but still queues work from another store", () => {
    const bulkhead = new Bulkhead({ ...bounds, inFlightMax: 1 });
    const [running = { store: "a" }, ...rest] = ticketsOf("a", 6);
    expect(bulkhead.arrive(running)).toBe("started");
    expect(rest.map((ticket) => bulkhead.arrive(ticket))).toEqual([...Array(4).fill("queued"), "refused"]);
    expect(ticketsOf("b", 3).map((ticket) => bulkhead.arrive(ticket))).toEqual(["queued", "queued", "refused"]);
  });

  test("does not make a store's only ticket wait for the backlogs of other stores", () => {
    const bulkhead = new Bulkhead({ inFlightMax: 1, inFlightPerStoreMax: 1, waitingMax: 100 });
    const running = { store: "a" };
    bulkhead.arrive(running);
    for (const ticket of [...ticketsOf("a", 3), ...ticketsOf("b", 3), ...ticketsOf("c", 1)]) bulkhead.arrive(ticket);
    const order: string[] = [];
    let current: Ticket | undefined = running;
    while (current !== undefined) {
      bulkhead.finish(current);
      current = bulkhead.startNext();
      if (current !== undefined) order.push(current.store);
    }
    expect(order).toEqual(["b", "c", "a", "b", "a", "b", "a"]);
  });

  test("starts a store's only ticket before tickets of stores that replace each finished ticket immediately", () => {
    const bulkhead = new Bulkhead({ inFlightMax: 1, inFlightPerStoreMax: 1, waitingMax: 100 });
    const floods = ["a", "b", "c"];
    let current: Ticket | undefined = { store: "running" };
    for (const store of ["running", ...floods]) bulkhead.arrive({ store });
    const order: string[] = [];
    for (let start = 0; start < 6 && current !== undefined; start++) {
      if (start === 4) bulkhead.arrive({ store: "quiet" });
      bulkhead.finish(current);
      const next = bulkhead.startNext();
      if (next !== undefined) order.push(next.store);
      if (floods.includes(current.store)) bulkhead.arrive({ store: current.store });
      current = next;
    }
    expect(order).toEqual(["a", "b", "c", "a", "quiet", "b"]);
  });

  test("does not starve a store with a backlog while new stores keep arriving", () => {
    const bulkhead = new Bulkhead({ inFlightMax: 1, inFlightPerStoreMax: 1, waitingMax: 1_000 });
    let current: Ticket | undefined = { store: "busy" };
    bulkhead.arrive(current);
    for (const ticket of ticketsOf("busy", 10)) bulkhead.arrive(ticket);
    const order: string[] = [];
    for (let arrival = 0; arrival < 100 && current !== undefined; arrival++) {
      bulkhead.arrive({ store: `single ${arrival}` });
      bulkhead.arrive({ store: `other ${arrival}` });
      bulkhead.finish(current);
      current = bulkhead.startNext();
      if (current !== undefined) order.push(current.store);
    }
    expect(order.filter((store) => store === "busy").length).toBeGreaterThanOrEqual(3);
  });

  test("estimates a short wait for a store's only ticket, despite the backlogs of other stores", () => {
    const bulkhead = new Bulkhead({ inFlightMax: 12, inFlightPerStoreMax: 4, waitingMax: 1_000 });
    const running: Ticket[] = [];
    for (let round = 0; round < 10; round++)
      for (let store = 0; store < 50; store++) {
        const ticket = { store: `flood ${store}` };
        if (bulkhead.arrive(ticket) === "started") running.push(ticket);
      }
    // Starts about one ticket of each store; all stores still have a backlog.
    for (let start = 0; start < 50; start++) {
      const ended = running.shift();
      if (ended !== undefined) bulkhead.finish(ended);
      const next = bulkhead.startNext();
      if (next !== undefined) running.push(next);
    }
    bulkhead.arrive({ store: "quiet" });
    expect(bulkhead.roundsBefore("flood 0")).toBeGreaterThan(4);
    expect(bulkhead.roundsBefore("quiet")).toBeLessThanOrEqual(1);
  });

  test("refuses to finish a ticket that is not in flight", () => {
    expect(() => new Bulkhead(bounds).finish({ store: "a" })).toThrow("not in flight");
  });
});

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("arrive" as const), pick: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("finish" as const), pick: fc.nat(1_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("leave" as const), pick: fc.nat(1_000) }) },
);

test("Bulkhead never exceeds its bounds, releases every place and starts each store's tickets in order", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const model = new BulkheadModel(bounds);
      for (const { kind, pick } of steps)
        if (kind === "arrive") model.arrive(`store ${pick}`);
        else model[kind](pick);
      model.drain();
    }),
  );
});

test("Bulkhead limits how often it passes over a store with waiting tickets", () => {
  const storeCount = 5;
  fc.assert(
    fc.property(fc.array(fc.nat(storeCount - 1), { minLength: 40, maxLength: 200 }), (arrivals) => {
      const model = new BulkheadModel({ inFlightMax: 1, inFlightPerStoreMax: 1, waitingMax: 1_000 });
      for (const pick of arrivals) {
        model.arrive(`store ${pick}`);
        // On average, fewer tickets finish than arrive, so the queue grows.
        if (pick % 2 === 0) model.finish(0);
      }
      expect(model.passedOverMax).toBeLessThanOrEqual(4 * storeCount);
    }),
  );
});

test("Bulkhead forgets stores without work once it remembers more than 1,000 stores", () => {
  const bulkhead = new Bulkhead(bounds);
  for (let index = 0; index < 5_000; index++) {
    const ticket = { store: `store ${index}` };
    bulkhead.arrive(ticket);
    bulkhead.finish(ticket);
    expect(bulkhead.stores).toBeLessThanOrEqual(1_000);
  }
  expect([startAll(bulkhead), bulkhead.inFlight]).toEqual([[], 0]);
});
