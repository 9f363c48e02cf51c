import fc from "fast-check";
import { expect, test } from "vitest";
import { MemoryTasks } from "./shared-tasks-fixture.ts";
import { fairShare, TaskShare } from "./task-share.ts";

const taskCount = 16;

test.each([
  [[0], [16]],
  [
    [3, 7],
    [8, 8],
  ],
  [
    [0, 1, 2],
    [6, 5, 5],
  ],
  [
    [0, 4, 5, 9, 12],
    [4, 3, 3, 3, 3],
  ],
])("divides 16 tasks among the seats %j as %j", (seats, shares) => {
  expect(seats.map((seat) => fairShare(taskCount, seats, seat))).toEqual(shares);
});

test("the shares of any number of replicas add up to all tasks, and differ by at most one", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(63), { minLength: 1 }), fc.integer({ min: 1, max: 64 }), (seats, count) => {
      const shares = seats.map((seat) => fairShare(count, seats, seat));
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(count);
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
    }),
  );
});

test("keeps the tasks that it has claimed, although the claim of another failed", async () => {
  const tasks = new MemoryTasks(taskCount);
  const replica = tasks.replica();
  let failures = 1;
  const claimTask: typeof replica.claimTask = async (number) => {
    if (failures-- > 0) throw new Error("no reply");
    return replica.claimTask(number);
  };
  const share = new TaskShare({ ...replica, claimTask }, { now: () => 0, sleep: async () => undefined });
  await expect(share.keep()).rejects.toThrow("no reply");
  expect(share.tasks.size).toBe(taskCount - 1);
  await share.leave();
  expect(tasks.leased("task")).toEqual([]);
});

/** Replicas with one clock, each of which releases its surplus at once. */
class Replicas {
  readonly #time = { ms: 0 };
  readonly tasks = new MemoryTasks(taskCount, () => this.#time.ms);
  readonly running: TaskShare[] = [];
  /** How often a running replica lost, gave up or took on a task. */
  moves = 0;

  start(): TaskShare {
    const share = new TaskShare(this.tasks.replica(), { now: () => this.#time.ms, sleep: async () => undefined });
    this.running.push(share);
    return share;
  }

  /** Ends a replica without releasing its leases, or freezes it. */
  kill(share: TaskShare): void {
    this.running.splice(this.running.indexOf(share), 1);
  }

  async elapse(durationMs: number): Promise<void> {
    for (let passedMs = 0; passedMs < durationMs; passedMs += 200) {
      this.#time.ms += 200;
      for (const share of this.running) {
        const before = new Set(share.tasks.values());
        await share.keep();
        await share.release(share.surplus);
        this.moves += before.symmetricDifference(new Set(share.tasks.values())).size;
      }
      this.#expectEachTaskOnce();
    }
  }

  get shares(): number[] {
    return this.running.map(({ tasks }) => tasks.size).sort();
  }

  #expectEachTaskOnce(): void {
    const held = this.running.filter(({ isCertain }) => isCertain).flatMap(({ tasks }) => [...tasks.keys()]);
    expect(new Set(held).size).toBe(held.length);
  }
}

test("one replica holds all tasks, and a second one gets half of them within three seconds", async () => {
  const replicas = new Replicas();
  replicas.start();
  await replicas.elapse(200);
  expect(replicas.shares).toEqual([16]);
  replicas.start();
  await replicas.elapse(3_000);
  expect(replicas.shares).toEqual([8, 8]);
});

test("tasks do not move while no replica joins or leaves", async () => {
  const replicas = new Replicas();
  for (let count = 0; count < 3; count++) replicas.start();
  await replicas.elapse(5_000);
  expect(replicas.shares).toEqual([5, 5, 6]);
  replicas.moves = 0;
  await replicas.elapse(60_000);
  expect(replicas.moves).toBe(0);
});

test("the tasks of a killed replica are held by the others within a lease and a second", async () => {
  const replicas = new Replicas();
  const [first] = [replicas.start(), replicas.start(), replicas.start()];
  await replicas.elapse(5_000);
  replicas.kill(first);
  await replicas.elapse(6_200);
  expect(replicas.shares).toEqual([8, 8]);
});

test("the tasks of a replica that leaves are held by the others within about a second", async () => {
  const replicas = new Replicas();
  const [first] = [replicas.start(), replicas.start()];
  await replicas.elapse(5_000);
  replicas.kill(first);
  await first.leave();
  await replicas.elapse(1_200);
  expect(replicas.shares).toEqual([16]);
});

test("a replica that was frozen for ten seconds finds its tasks lost, and gets a share again", async () => {
  const replicas = new Replicas();
  const [first] = [replicas.start(), replicas.start()];
  await replicas.elapse(5_000);
  const before = new Set(first.tasks.values());
  replicas.kill(first);
  await replicas.elapse(10_000);
  expect([replicas.shares, first.isCertain]).toEqual([[16], false]);
  replicas.running.push(first);
  await replicas.elapse(200);
  expect(first.tasks.size).toBe(0);
  await replicas.elapse(3_000);
  expect(replicas.shares).toEqual([8, 8]);
  expect([...first.tasks.values()].some((claim) => before.has(claim))).toBe(false);
});

test("a rolling update moves every task to a running replica, and ends with equal shares", async () => {
  const replicas = new Replicas();
  for (let count = 0; count < 3; count++) replicas.start();
  await replicas.elapse(5_000);
  for (const old of [...replicas.running]) {
    replicas.start();
    await replicas.elapse(3_000);
    replicas.kill(old);
    await old.leave();
    await replicas.elapse(3_000);
    expect(replicas.tasks.leased("task")).toHaveLength(taskCount);
  }
  expect(replicas.shares).toEqual([5, 5, 6]);
});

test("replicas that exceed the number of tasks hold none, and replace one that leaves", async () => {
  const replicas = new Replicas();
  const shares = Array.from({ length: taskCount + 2 }, () => replicas.start());
  await replicas.elapse(10_000);
  expect(replicas.shares).toEqual([0, 0, ...Array(taskCount).fill(1)]);
  const leaving = shares.find(({ tasks }) => tasks.size === 1);
  if (leaving === undefined) throw new Error("no replica holds a task");
  replicas.kill(leaving);
  await leaving.leave();
  await replicas.elapse(3_000);
  expect(replicas.shares).toEqual([0, ...Array(taskCount).fill(1)]);
});
