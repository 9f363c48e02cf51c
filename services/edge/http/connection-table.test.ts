import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConnectionTable } from "./connection-table.ts";

const client = "192.0.2.1";

function add(table: ConnectionTable<string>, names: readonly string[], address = client) {
  return names.map((name) => table.add(name, address));
}

function useOnce(table: ConnectionTable<string>, names: readonly string[]): void {
  for (const name of names) {
    table.markBusy(name);
    table.markIdle(name);
  }
}

describe("a connection beyond a limit", () => {
  test("evicts the connection that has been open longest without sending a request", () => {
    const table = new ConnectionTable<string>({ total: 3, perAddress: 9 });
    expect(add(table, ["a", "b", "c", "d", "e"])).toEqual([undefined, undefined, undefined, "a", "b"]);
    expect(table.size).toBe(3);
  });

  test("evicts the longest-idle connection unless new connections outnumber idle ones", () => {
    const table = new ConnectionTable<string>({ total: 3, perAddress: 9 });
    add(table, ["a", "b", "c"]);
    useOnce(table, ["b", "a"]);
    // c and d are new; a and b are idle.
    expect(add(table, ["d"])).toEqual(["b"]);
    expect(add(table, ["e"])).toEqual(["c"]);
    useOnce(table, ["d"]);
    expect(add(table, ["f"])).toEqual(["a"]);
  });

  test("evicts idle connections rather than new ones while most connections are idle", () => {
    const table = new ConnectionTable<string>({ total: 20, perAddress: 99 });
    const idle = Array.from({ length: 20 }, (_, index) => `idle ${index}`);
    add(table, idle);
    useOnce(table, idle);
    const fresh = Array.from({ length: 10 }, (_, index) => `fresh ${index}`);
    expect(add(table, fresh)).toEqual(idle.slice(0, 10));
  });

  test("is refused while all other connections are busy", () => {
    const table = new ConnectionTable<string>({ total: 2, perAddress: 9 });
    add(table, ["a", "b"]);
    table.markBusy("a");
    table.markBusy("b");
    expect(add(table, ["c"])).toEqual(["c"]);
    table.markIdle("a");
    expect(add(table, ["d"])).toEqual(["a"]);
  });

  test("evicts a connection of its own address if that address is at its limit", () => {
    const table = new ConnectionTable<string>({ total: 9, perAddress: 2 });
    add(table, ["other"], "198.51.100.1");
    expect(add(table, ["a", "b", "c"])).toEqual([undefined, undefined, "a"]);
    table.markBusy("b");
    table.markBusy("c");
    expect(add(table, ["d"])).toEqual(["d"]);
    expect(table.size).toBe(3);
  });
});

test("a connection without an address counts only towards the total limit", () => {
  const table = new ConnectionTable<string>({ total: 4, perAddress: 1 });
  expect(table.add("a", undefined)).toBeUndefined();
  expect(table.add("b", undefined)).toBeUndefined();
  add(table, ["c"]);
  expect(table.add("d", undefined)).toBeUndefined();
  expect(table.add("e", undefined)).toBe("a");
});

test("a removed connection frees its slot, and later calls for that connection have no effect", () => {
  const table = new ConnectionTable<string>({ total: 1, perAddress: 1 });
  add(table, ["a"]);
  table.remove("a");
  table.remove("a");
  useOnce(table, ["a"]);
  expect([add(table, ["b"]), table.size]).toEqual([[undefined], 1]);
});

test("in any sequence of steps, the table never exceeds a limit or evicts a busy connection", () => {
  // Opening a connection is twice as likely as any other step.
  const step = fc.constantFrom("open", "open", "busy", "idle", "close");
  const steps = fc.array(fc.tuple(step, fc.nat(30), fc.nat(2)), { maxLength: 300 });
  fc.assert(
    fc.property(steps, (sequence) => {
      const table = new ConnectionTable<number>({ total: 8, perAddress: 4 });
      const model = new Map<number, { readonly address: number; isBusy: boolean }>();
      const actions = {
        open: (name: number, address: number) => {
          if (model.has(name)) return;
          model.set(name, { address, isBusy: false });
          const evicted = table.add(name, String(address));
          if (evicted === undefined) return;
          expect(model.get(evicted)).toMatchObject({ isBusy: false });
          model.delete(evicted);
        },
        busy: (name: number) => {
          table.markBusy(name);
          Object.assign(model.get(name) ?? {}, { isBusy: true });
        },
        idle: (name: number) => {
          table.markIdle(name);
          Object.assign(model.get(name) ?? {}, { isBusy: false });
        },
        close: (name: number) => {
          table.remove(name);
          model.delete(name);
        },
      };
      for (const [action, name, address] of sequence) {
        actions[action](name, address);
        const perAddress = Object.values(Object.groupBy(model.values(), (open) => open.address));
        for (const connections of perAddress) expect(connections?.length).toBeLessThanOrEqual(4);
        expect(table.size).toBe(model.size);
        expect(table.size).toBeLessThanOrEqual(8);
      }
    }),
  );
});
