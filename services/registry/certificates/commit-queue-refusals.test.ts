import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { noLimits } from "../load/call-limits.ts";
import { changeNamed, queueWith } from "./commit-queue-fixture.ts";
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

test("retries each change of a split group only until its own deadline", async () => {
  let nowMs = 0;
  const { queue, groups } = queueWith({ clock: { now: () => nowMs, sleep: () => turn() } });
  const submitBefore = (deadline: number, name: string) =>
    queue.within({ ...noLimits, deadline }).submit("sto_1", changeNamed(name));
  const results = Promise.allSettled([submitBefore(1_000, "a"), submitBefore(3_000, "b")]);
  await turn();
  nowMs = 100;
  await groups[0]?.fail(new EventTooLarge(2_000, 1_000));
  nowMs = 500;
  await groups[1]?.succeed();
  await groups[2]?.succeed();
  await results;
  expect(groups.map(({ options }) => options?.timeLimitMs)).toEqual([3_000, 900, 2_500]);
});
