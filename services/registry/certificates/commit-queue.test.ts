import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { queueWith } from "./commit-queue-fixture.ts";

describe("CommitQueue", () => {
  test("commits changes from the same event loop turn in one transaction, and returns the result of each", async () => {
    const { groups, submit, committed } = queueWith();
    const results = Promise.all([submit("a"), submit("b"), submit("c")]);
    await turn();
    expect(committed()).toEqual(["a b c"]);
    await groups[0]?.succeed();
    expect(await results).toEqual(["a", "b", "c"]);
  });

  test("groups the changes that arrive during a transaction into the next transaction, in order", async () => {
    const { groups, submit, committed } = queueWith();
    const first = submit("a");
    await turn();
    const later = Promise.all([submit("b"), submit("c"), submit("d")]);
    await turn();
    expect(committed()).toEqual(["a"]);
    await groups[0]?.succeed();
    expect(await first).toBe("a");
    expect(committed()).toEqual(["a", "b c d"]);
    await groups[1]?.succeed();
    expect(await later).toEqual(["b", "c", "d"]);
  });

  test("groups changes in order, up to the maximum number of timestamps, and commits a larger change alone", async () => {
    const { groups, submit, committed } = queueWith({ maxGroupTimestamps: 10 });
    const sizes = { a: 4, b: 6, c: 1, d: 25, e: 9, f: 2, g: 1 };
    const results = Promise.all(Object.entries(sizes).map(([name, maxTimestamps]) => submit(name, maxTimestamps)));
    await turn();
    for (let index = 0; index < 5; index++) await groups[index]?.succeed();
    expect(committed()).toEqual(["a b", "c", "d", "e", "f g"]);
    expect(await results).toEqual(Object.keys(sizes));
  });

  test("rejects only the changes of a failed transaction and continues with the next transaction", async () => {
    const { groups, submit, committed } = queueWith();
    const first = Promise.allSettled([submit("a"), submit("b")]);
    await turn();
    const second = submit("c");
    await groups[0]?.fail(new Error("no"));
    const rejected = { status: "rejected", reason: new Error("no") };
    expect(await first).toEqual([rejected, rejected]);
    await groups[1]?.succeed();
    expect(await second).toBe("c");
    expect(committed()).toEqual(["a b", "c"]);
  });

  test("rejects changes with `unavailable` while the queue is full", async () => {
    const { groups, submit } = queueWith({ maxPending: 2 });
    const running = submit("a");
    await turn();
    const waiting = [submit("b"), submit("c")];
    await expect(submit("d")).rejects.toMatchObject({ code: "unavailable" });
    await groups[0]?.succeed();
    const accepted = submit("e");
    await groups[1]?.succeed();
    await groups[2]?.succeed();
    expect(await Promise.all([running, ...waiting, accepted])).toEqual(["a", "b", "c", "e"]);
  });

  test("starts a new transaction for a change that arrives after the queue has emptied", async () => {
    const { groups, submit, committed } = queueWith();
    for (const [index, name] of ["a", "b", "c"].entries()) {
      const result = submit(name);
      await turn();
      await groups[index]?.succeed();
      expect(await result).toBe(name);
    }
    expect(committed()).toEqual(["a", "b", "c"]);
  });
});

test("CommitQueue runs the transactions of different stores concurrently", async () => {
  const { groups, submit } = queueWith();
  const slow = submit("a", 1, "sto_1");
  const quick = submit("b", 1, "sto_2");
  await turn();
  expect(groups.map(({ storeId }) => storeId)).toEqual(["sto_1", "sto_2"]);
  await groups[1]?.succeed();
  expect(await quick).toBe("b");
  await groups[0]?.succeed();
  expect(await slow).toBe("a");
});

test("CommitQueue commits changes of any size exactly once, in order, alone or in groups within the limit", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 40 }), async (sizes) => {
      const { groups, submit } = queueWith({ maxGroupTimestamps: 10 });
      const results = Promise.all(sizes.map((size, index) => submit(`${index}:${size}`, size)));
      for (let index = 0; index < sizes.length; index++) {
        await turn();
        await groups[index]?.succeed();
      }
      const names = sizes.map((size, index) => `${index}:${size}`);
      expect(await results).toEqual(names);
      expect(groups.flatMap((group) => group.names)).toEqual(names);
      for (const group of groups) {
        const total = group.names.reduce<number>((sum, name) => sum + Number(String(name).split(":")[1]), 0);
        if (group.names.length > 1) expect(total).toBeLessThanOrEqual(10);
      }
    }),
  );
});
