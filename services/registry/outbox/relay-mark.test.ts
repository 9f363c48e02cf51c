import { expect, test } from "vitest";
import { entry, testRig, until } from "./relay-fixture.ts";

test("advances the outbox's mark before it reads the outbox, and then about every five seconds", async () => {
  const { relay, outbox, log, elapse, published } = testRig([entry("a1")]);
  for (const method of ["advanceMark", "storesWithEntries"] as const) outbox.before(method, () => log.push(method));
  const advances = () => log.filter((line) => line === "advanceMark").length;
  relay.start();
  await until(() => expect(published()).toEqual(["a1"]));
  expect(log.indexOf("advanceMark")).toBeLessThan(log.indexOf("storesWithEntries"));
  const before = advances();
  await elapse(60_000);
  expect(advances() - before).toBeGreaterThanOrEqual(10);
  expect(advances() - before).toBeLessThanOrEqual(12);
});

test("publishes events even while the mark cannot be advanced", async () => {
  const { relay, outbox, elapse, published } = testRig([]);
  let advances = 0;
  outbox.before("advanceMark", () => {
    if (advances++ > 0) throw new Error("the database is too slow");
  });
  relay.start();
  await elapse(20_000);
  outbox.put(entry("a1"));
  await elapse(1_000);
  expect(published()).toEqual(["a1"]);
  expect(advances).toBeGreaterThan(2);
});
