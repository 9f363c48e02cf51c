import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { noLimits } from "../load/call-limits.ts";
import type { CommitQueueOptions } from "./commit-queue.ts";
import { changeNamed, queueWith } from "./commit-queue-fixture.ts";

/** Creates a queue on a clock that the test advances. `shed` collects the reasons for which changes are dropped. */
function timedQueue(options: CommitQueueOptions = {}) {
  let nowMs = 0;
  const clock = { now: () => nowMs, sleep: () => turn() };
  const shed: string[] = [];
  const { queue, groups, submit, committed } = queueWith({ clock, onShed: (reason) => shed.push(reason), ...options });
  return {
    queue,
    groups,
    submit,
    committed,
    shed,
    submitBefore: (deadline: number, name: string) =>
      queue.within({ ...noLimits, deadline }).submit("sto_1", changeNamed(name)),
    advance: (durationMs: number) => {
      nowMs += durationMs;
    },
  };
}

/** Waits until each promise has settled, and returns each result, or the `reason` of the LoadShedError. */
async function outcomesOf(submitted: readonly Promise<string>[]): Promise<string[]> {
  const outcomes = await Promise.allSettled(submitted);
  return outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : outcome.reason.reason));
}

describe("CommitQueue under load", () => {
  test("rejects a change if its store's waiting changes would then need too many timestamps", async () => {
    const { groups, submit, shed } = timedQueue({ maxPendingTimestamps: 1_000 });
    const running = submit("running", 500);
    await turn();
    const waiting = [submit("a", 500), submit("b", 400)];
    await expect(submit("c", 101)).rejects.toMatchObject({ code: "unavailable", reason: "queue_full" });
    const last = submit("d", 100);
    for (let index = 0; index < 3; index++) await groups[index]?.succeed();
    expect(await Promise.all([running, ...waiting, last])).toEqual(["running", "a", "b", "d"]);
    expect(shed).toEqual(["queue_full"]);
  });

  test("keeps timestamps free for other stores when one store has many changes waiting", async () => {
    const { submit } = timedQueue({ maxTotalTimestamps: 1_000, maxTransactions: 1 });
    void submit("running", 1);
    await turn();
    void submit("first", 400);
    await expect(submit("second", 300)).rejects.toMatchObject({ reason: "queue_full" });
    const other = submit("other", 300, "sto_2");
    expect(await Promise.race([other, turn("still waiting")])).toBe("still waiting");
  });

  test("does not commit a new or waiting change whose caller has disconnected", async () => {
    const { queue, groups, submit, committed, shed } = timedQueue();
    const running = submit("running");
    await turn();
    const leaving = new AbortController();
    const changes = queue.within({ ...noLimits, signal: leaving.signal });
    const left = changes.submit("sto_1", changeNamed("left"));
    const stays = submit("stays");
    leaving.abort();
    const late = changes.submit("sto_1", changeNamed("late"));
    const outcomes = outcomesOf([running, left, stays, late]);
    await groups[0]?.succeed();
    await groups[1]?.succeed();
    expect(await outcomes).toEqual(["running", "caller_left", "stays", "caller_left"]);
    expect([committed(), shed]).toEqual([
      ["running", "stays"],
      ["caller_left", "caller_left"],
    ]);
  });

  test("does not commit a new or waiting change whose deadline has passed", async () => {
    const { groups, submit, submitBefore, advance, committed } = timedQueue();
    const running = submit("running");
    await turn();
    const submitted = [running, submitBefore(100, "late"), submitBefore(10_000, "in time")];
    advance(100);
    submitted.push(submitBefore(100, "too late"));
    const outcomes = outcomesOf(submitted);
    await groups[0]?.succeed();
    await groups[1]?.succeed();
    expect(await outcomes).toEqual(["running", "deadline", "in time", "deadline"]);
    expect(committed()).toEqual(["running", "in time"]);
  });

  test("lets a transaction be retried until the latest deadline of its changes", async () => {
    const { groups, submitBefore, advance } = timedQueue();
    advance(100);
    const submitted = [submitBefore(1_000, "a"), submitBefore(3_000, "b")];
    await turn();
    expect(groups[0]?.options?.timeLimitMs).toBe(2_900);
    await groups[0]?.succeed();
    await Promise.all(submitted);
  });

  test("rejects a change immediately if its transaction is expected to end after the change's deadline", async () => {
    const { groups, submit, submitBefore, advance } = timedQueue();
    const first = submit("first");
    await turn();
    const running = submit("running");
    advance(1_000);
    await groups[0]?.succeed();
    // The running transaction and the next one are expected to take one second each.
    await expect(submitBefore(2_999, "hopeless")).rejects.toMatchObject({ reason: "deadline" });
    const waiting = submitBefore(3_001, "possible");
    await groups[1]?.succeed();
    await groups[2]?.succeed();
    expect(await Promise.all([first, running, waiting])).toEqual(["first", "running", "possible"]);
  });

  test("commits a waiting change after a stall, although the expected duration exceeds the time left", async () => {
    const { groups, submit, submitBefore, advance } = timedQueue();
    const stalled = submit("stalled");
    await turn();
    const waiting = submitBefore(61_000, "waiting");
    advance(60_000);
    await groups[0]?.succeed();
    await groups[1]?.succeed();
    expect(await Promise.all([stalled, waiting])).toEqual(["stalled", "waiting"]);
  });

  test("drops the waiting changes of disconnected callers when the queue is full", async () => {
    const { queue, submit, committed, groups } = timedQueue({ maxPending: 2 });
    const running = submit("running");
    await turn();
    const leaving = new AbortController();
    const left = ["a", "b"].map((name) =>
      queue.within({ ...noLimits, signal: leaving.signal }).submit("sto_1", changeNamed(name)),
    );
    const outcomes = outcomesOf(left);
    leaving.abort();
    const accepted = submit("c");
    expect(await outcomes).toEqual(["caller_left", "caller_left"]);
    await groups[0]?.succeed();
    await groups[1]?.succeed();
    expect([await running, await accepted, committed()]).toEqual(["running", "c", ["running", "c"]]);
  });

  test("runs at most maxTransactions transactions at a time, and starts another store's transaction when one ends", async () => {
    const { queue, groups, submit } = timedQueue({ maxTransactions: 2 });
    const stores = ["sto_1", "sto_2", "sto_3"];
    const results = Promise.all(stores.map((storeId) => submit(storeId, 1, storeId)));
    await turn();
    expect([groups.map(({ storeId }) => storeId), queue.inFlight, queue.waiting]).toEqual([["sto_1", "sto_2"], 2, 1]);
    await groups[0]?.succeed();
    expect(groups.map(({ storeId }) => storeId)).toEqual(stores);
    await groups[1]?.succeed();
    await groups[2]?.succeed();
    expect([await results, queue.inFlight, queue.waiting]).toEqual([stores, 0, 0]);
  });

  test("runs other stores' transactions while a store pauses, and counts the pausing store's changes as waiting", async () => {
    const { queue, groups, submit } = timedQueue({ maxTransactions: 1, maxTotalTimestamps: 10 });
    const pausing = submit("a", 6);
    const other = submit("b", 4, "sto_2");
    await turn();
    expect(groups).toHaveLength(1);
    const pause = Promise.withResolvers<void>();
    const paused = groups[0]?.options?.aroundPause?.(() => pause.promise);
    await turn();
    expect([groups.length, queue.inFlight, queue.waiting]).toEqual([2, 1, 1]);
    await expect(submit("c", 5, "sto_3")).rejects.toMatchObject({ reason: "queue_full" });
    await groups[1]?.succeed();
    pause.resolve();
    await paused;
    expect([queue.inFlight, queue.waiting]).toEqual([1, 0]);
    await groups[0]?.succeed();
    expect(await Promise.all([pausing, other])).toEqual(["a", "b"]);
  });
});
