import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { queueWith } from "./commit-queue-fixture.ts";
import { EventTooLarge } from "./event-too-large.ts";

test("commits the other changes of a group when one change's event is too large", async () => {
  const { groups, submit, committed } = queueWith();
  const results = Promise.allSettled([submit("a"), submit("long"), submit("c")]);
  await turn();
  const refusal = new EventTooLarge(2_000, 1_000);
  await groups[0]?.fail(refusal);
  await groups[1]?.succeed();
  await groups[2]?.fail(refusal);
  await groups[3]?.succeed();
  expect(await results).toEqual([
    { status: "fulfilled", value: "a" },
    { status: "rejected", reason: refusal },
    { status: "fulfilled", value: "c" },
  ]);
  expect(committed()).toEqual(["a long c", "a", "long", "c"]);
});
