import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConnectionTable } from "./connection-table.ts";

const client = "192.0.2.1";

function add(table: ConnectionTable<string>, names: readonly string[], address: string | undefined = client) {
  return names.map((name) => table.add(name, address));
}

describe("a connection beyond a limit", () => {
  test("evicts the connection that has been open the longest without a request", () => {
    const table = new ConnectionTable<string>({ total: 3, perAddress: 9 });
    expect(add(table, ["a", "b", "c", "d", "e"])).toEqual([undefined, undefined, undefined, "a", "b"]);
    expect(table.size).toBe(3);
  });

  test("evicts the longest idle connection if more connections are idle than new", () => {
    const table = new ConnectionTable<string>({ total: 3, perAddress: 9 });
    add(table, ["a", "b", "c"]);
    for (const name of ["b", "a"]) {
      table.markBusy(name);
      table.markIdle(name);
    }
    // c and d are new; a and b are idle.
    expect(add(table, ["d"])).toEqual(["b"]);
    expect(add(table, ["e"])).toEqual(["c"]);
    table.markBusy("d");
    table.markIdle("d");
    expect(add(table, ["f"])).toEqual(["a"]);
  });

  test("evicts idle connections rather than new ones while most are idle", () => {
    const table = new ConnectionTable<string>({ total: 20, perAddress: 99 });
    const idle = Array.from({ length: 20 }, (_, index) => `idle ${index}`);
    add(table, idle);
    for (const name of idle) {
      table.markBusy(name);
      table.markIdle(name);
    }
    const fresh = Array.from({ length: 10 }, (_, index) => `fresh ${index}`);
    expect(add(table, fresh)).toEqual(idle.slice(0, 10));
  });

  test("is refused while all others are busy", () => {
    const table = new ConnectionTable<string>({ total: 2, perAddress: 9 });
    add(table, ["a", "b"]);
    table.markBusy("a");
    table.markBusy("b");
    expect(add(table, ["c"])).toEqual(["c"]);
    table.markIdle("a");
    expect(add(table, ["d"])).toEqual(["a"]);
  });

  test("evicts a connection of its own address at the limit of that address", () => {
    const table = new ConnectionTable<string>({ total: 9, perAddress: 2 });
    add(table, ["other"], "198.51.100.1");
    expect(add(table, ["a", "b", "c"])).toEqual([undefined, undefined, "a"]);
    table.markBusy("b");
    table.markBusy("c");
    expect(add(table, ["d"])).toEqual(["d"]);
    expect(table.size).toBe(3);
  });

  test("counts only towards the total without an address", () => {
    const table = new ConnectionTable<string>({ total: 4, perAddress: 1 });
    expect(table.add("a", undefined)).toBeUndefined();
    expect(table.add("b", undefined)).toBeUndefined();
    add(table, ["c"]);
    expect(table.add("d", undefined)).toBeUndefined();
    expect(table.add("e", undefined)).toBe("a");
  });
});

test("a removed connection frees its place, and further calls for it have no effect", () => {
  const table = new ConnectionTable<string>({ total: 1, perAddress: 1 });
  add(table, ["a"]);
  table.remove("a");
  table.remove("a");
  table.markBusy("a");
  table.markIdle("a");
  expect([add(table, ["b"]), table.size]).toEqual([[undefined], 1]);
});

/** A table with a model of its connections. */
class CheckedTable {
  readonly #table = new ConnectionTable<number>({ total: 8, perAddress: 4 });
  readonly #open = new Map<number, { address: number; isBusy: boolean }>();

  readonly steps = {
    open: (name: number, address: number) => {
      if (this.#open.has(name)) return;
      this.#open.set(name, { address, isBusy: false });
      const evicted = this.#table.add(name, String(address));
      if (evicted === undefined) return;
      expect(this.#open.get(evicted)).toMatchObject({ isBusy: false });
      this.#open.delete(evicted);
    },
    busy: (name: number) => this.#setBusy(name, true),
    idle: (name: number) => this.#setBusy(name, false),
    close: (name: number) => {
      this.#table.remove(name);
      this.#open.delete(name);
    },
  };

  check(): void {
    const addresses = [...this.#open.values()].map(({ address }) => address);
    for (const address of addresses)
      expect(addresses.filter((other) => other === address).length).toBeLessThanOrEqual(4);
    expect(this.#table.size).toBe(this.#open.size);
    expect(this.#table.size).toBeLessThanOrEqual(8);
  }

  #setBusy(name: number, isBusy: boolean): void {
    this.#table[isBusy ? "markBusy" : "markIdle"](name);
    const open = this.#open.get(name);
    if (open !== undefined) open.isBusy = isBusy;
  }
}

test("any sequence of steps keeps the limits and evicts no busy connection", () => {
  // Opens twice as many connections as it closes.
  const step = fc.constantFrom("open", "open", "busy", "idle", "close");
  const steps = fc.array(fc.tuple(step, fc.nat(30), fc.nat(2)), { maxLength: 300 });
  fc.assert(
    fc.property(steps, (sequence) => {
      const table = new CheckedTable();
      for (const [action, name, address] of sequence) {
        table.steps[action](name, address);
        table.check();
      }
    }),
  );
});
