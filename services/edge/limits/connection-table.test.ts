import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConnectionTable } from "./connection-table.ts";

const client = "192.0.2.1";

function open(
  table: ConnectionTable<string>,
  names: readonly string[],
  address: string | undefined = client,
) {
  return names.map((name) => table.open(name, address));
}

describe("one connection too many", () => {
  test("ends the one that has been open the longest without a request", () => {
    const table = new ConnectionTable<string>({ total: 3, perAddress: 9 });
    expect(open(table, ["a", "b", "c", "d", "e"])).toEqual([undefined, undefined, undefined, "a", "b"]);
    expect(table.size).toBe(3);
  });

  test("ends the one that has been idle the longest, where more are idle than never sent a request", () => {
    const table = new ConnectionTable<string>({ total: 3, perAddress: 9 });
    open(table, ["a", "b", "c"]);
    for (const name of ["b", "a"]) {
      table.busy(name);
      table.idle(name);
    }
    // c and the new one are silent; a and b are idle.
    expect(open(table, ["d"])).toEqual(["b"]);
    expect(open(table, ["e"])).toEqual(["c"]);
    table.busy("d");
    table.idle("d");
    expect(open(table, ["f"])).toEqual(["a"]);
  });

  test("among many idle ones never ends those that have just come", () => {
    const table = new ConnectionTable<string>({ total: 20, perAddress: 99 });
    const idle = Array.from({ length: 20 }, (_, index) => `idle ${index}`);
    open(table, idle);
    for (const name of idle) {
      table.busy(name);
      table.idle(name);
    }
    const fresh = Array.from({ length: 10 }, (_, index) => `fresh ${index}`);
    expect(open(table, fresh)).toEqual(idle.slice(0, 10));
  });

  test("is refused itself while all others have a request under way", () => {
    const table = new ConnectionTable<string>({ total: 2, perAddress: 9 });
    open(table, ["a", "b"]);
    table.busy("a");
    table.busy("b");
    expect(open(table, ["c"])).toEqual(["c"]);
    table.idle("a");
    expect(open(table, ["d"])).toEqual(["a"]);
  });

  test("of an address ends one of that address, and no other", () => {
    const table = new ConnectionTable<string>({ total: 9, perAddress: 2 });
    open(table, ["other"], "198.51.100.1");
    expect(open(table, ["a", "b", "c"])).toEqual([undefined, undefined, "a"]);
    table.busy("b");
    table.busy("c");
    expect(open(table, ["d"])).toEqual(["d"]);
    expect(table.size).toBe(3);
  });

  test("of no address in particular is counted in the total alone", () => {
    const table = new ConnectionTable<string>({ total: 4, perAddress: 1 });
    expect(table.open("a", undefined)).toBeUndefined();
    expect(table.open("b", undefined)).toBeUndefined();
    open(table, ["c"]);
    expect(table.open("d", undefined)).toBeUndefined();
    expect(table.open("e", undefined)).toBe("a");
  });
});

test("what is closed makes room, and may be closed twice or come back to life nowhere", () => {
  const table = new ConnectionTable<string>({ total: 1, perAddress: 1 });
  open(table, ["a"]);
  table.close("a");
  table.close("a");
  table.busy("a");
  table.idle("a");
  expect([open(table, ["b"]), table.size]).toEqual([[undefined], 1]);
});

/** A table and what must be true of it. */
class CheckedTable {
  readonly #table = new ConnectionTable<number>({ total: 8, perAddress: 4 });
  readonly #open = new Map<number, { address: number; isBusy: boolean }>();

  readonly steps = {
    open: (name: number, address: number) => {
      if (this.#open.has(name)) return;
      this.#open.set(name, { address, isBusy: false });
      const victim = this.#table.open(name, String(address));
      if (victim === undefined) return;
      expect(this.#open.get(victim)).toMatchObject({ isBusy: false });
      this.#open.delete(victim);
    },
    busy: (name: number) => this.#turn(name, true),
    idle: (name: number) => this.#turn(name, false),
    close: (name: number) => {
      this.#table.close(name);
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

  #turn(name: number, isBusy: boolean): void {
    this.#table[isBusy ? "busy" : "idle"](name);
    const open = this.#open.get(name);
    if (open !== undefined) open.isBusy = isBusy;
  }
}

test("whatever clients do, there are never more than the limits allow, and no request under way is cut", () => {
  // Twice as many are opened as closed.
  const what = fc.constantFrom("open", "open", "busy", "idle", "close");
  const steps = fc.array(fc.tuple(what, fc.nat(30), fc.nat(2)), { maxLength: 300 });
  fc.assert(
    fc.property(steps, (chosen) => {
      const table = new CheckedTable();
      for (const [step, name, address] of chosen) {
        table.steps[step](name, address);
        table.check();
      }
    }),
  );
});
