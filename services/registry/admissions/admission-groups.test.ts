import { expect, test } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import { LoadShedError } from "../load/load-shed-error.ts";
import { AdmissionGroups } from "./admission-groups.ts";

const key = (byte: number) => new Uint8Array(32).fill(byte);
const tick = () => new Promise(setImmediate);

/** Creates groups whose operations end when the test ends them. The decision on a request is its id's first byte. */
function startGroups({ groupMax = 100 } = {}) {
  const operations: { ids: number[]; limitMs: number; end: (error?: Error) => Promise<void> }[] = [];
  const sleeps: { ms: number; end: () => void }[] = [];
  const time = { nowMs: 0 };
  const groups = new AdmissionGroups<number>(
    (_keyHash, ids, limitMs) => {
      const { promise, resolve, reject } = Promise.withResolvers<number[]>();
      const firstBytes = ids.map(([first = -1]) => first);
      const end = (error?: Error) => {
        if (error === undefined) resolve(firstBytes);
        else reject(error);
        // The next operation starts one turn of the event loop after the end.
        return tick()
          .then(tick)
          .then(() => undefined);
      };
      operations.push({ ids: firstBytes, limitMs, end });
      return promise;
    },
    {
      groupMax,
      operationLimitMs: 4_000,
      clock: {
        now: () => time.nowMs,
        sleep: (ms, signal) =>
          new Promise((resolve) => {
            sleeps.push({ ms, end: resolve });
            signal?.addEventListener("abort", () => resolve());
          }),
      },
    },
  );
  const add = (id: number, remainingMs = () => 1_000, keyHash = key(1)) =>
    groups.add(keyHash, { id: Uint8Array.of(id), remainingMs });
  return { operations, sleeps, time, add, sent: () => operations.map(({ ids }) => ids) };
}

const shed = () => {
  throw new LoadShedError("deadline");
};

test("decides a single request immediately, without a timer", async () => {
  const { operations, sleeps, add } = startGroups();
  const decision = add(1);
  expect(operations).toMatchObject([{ ids: [1], limitMs: 1_000 }]);
  await operations[0]?.end();
  expect(await decision).toBe(1);
  expect(sleeps).toEqual([]);
});

test("decides the requests that arrive during an operation as one group, in order of arrival", async () => {
  const { operations, add, sent } = startGroups();
  const decisions = [1, 2, 3, 4].map((id) => add(id, () => 1_000 * id));
  expect(sent()).toEqual([[1]]);
  await operations[0]?.end();
  expect(sent()).toEqual([[1], [2, 3, 4]]);
  // The group may take as long as its most patient request waits, but no longer than an operation may take.
  expect(operations[1]?.limitMs).toBe(4_000);
  const later = add(5);
  await operations[1]?.end();
  await operations[2]?.end();
  expect(await Promise.all([...decisions, later])).toEqual([1, 2, 3, 4, 5]);
  void add(6);
  expect(sent()).toEqual([[1], [2, 3, 4], [5], [6]]);
});

test("adds requests that arrive right after a decision to the next operation", async () => {
  const { operations, add, sent } = startGroups();
  const next = add(1).then(() => add(3));
  const waiting = add(2);
  await operations[0]?.end();
  expect(sent()).toEqual([[1], [2, 3]]);
  await operations[1]?.end();
  expect(await Promise.all([waiting, next])).toEqual([2, 3]);
});

test("limits the size of a group", async () => {
  const { operations, add, sent } = startGroups({ groupMax: 2 });
  for (const id of [1, 2, 3, 4]) void add(id);
  await operations[0]?.end();
  await operations[1]?.end();
  expect(sent()).toEqual([[1], [2, 3], [4]]);
});

test("decides requests with different keys concurrently", () => {
  const { add, sent } = startGroups();
  void add(1);
  void add(2, undefined, key(2));
  expect(sent()).toEqual([[1], [2]]);
});

test("drops requests whose callers have disconnected, and starts no operation if no request remains", async () => {
  const { operations, add, sent } = startGroups();
  let hasLeft = false;
  const leaving = () => (hasLeft ? shed() : 1_000);
  await expect(add(1, shed)).rejects.toBeInstanceOf(LoadShedError);
  await tick();
  void add(2);
  const left = expect(add(3, leaving)).rejects.toBeInstanceOf(LoadShedError);
  const stays = add(4);
  hasLeft = true;
  await operations[0]?.end();
  await left;
  expect(sent()).toEqual([[2], [4]]);
  const alsoLeft = expect(add(5, shed)).rejects.toBeInstanceOf(LoadShedError);
  await operations[1]?.end();
  await alsoLeft;
  expect(await stays).toBe(4);
  expect(sent()).toEqual([[2], [4]]);
});

test("rejects a request that times out while waiting for an operation, and still decides the others", async () => {
  const { operations, sleeps, add, sent } = startGroups();
  void add(1);
  let isLate = false;
  const late = add(2, () => (isLate ? shed() : 50));
  const patient = add(3);
  isLate = true;
  for (const { end } of sleeps) end();
  await expect(late).rejects.toBeInstanceOf(LoadShedError);
  await operations[0]?.end();
  expect(sent()).toEqual([[1], [3]]);
  await operations[1]?.end();
  expect(await patient).toBe(3);
});

test("throws unavailable if a request times out during its operation, because it may have been admitted", async () => {
  const { operations, sleeps, add } = startGroups();
  void add(1);
  let isLate = false;
  const late = add(2, () => (isLate ? shed() : 50));
  const patient = add(3);
  await operations[0]?.end();
  isLate = true;
  for (const { end } of sleeps) end();
  const error = await late.catch((error: unknown) => error);
  expect(error).toMatchObject({ code: "unavailable" });
  expect(error).toBeInstanceOf(ServiceError);
  expect(error).not.toBeInstanceOf(LoadShedError);
  await operations[1]?.end();
  expect(await patient).toBe(3);
});

test("starts another operation for the next request if the running operation has exceeded its time limit", async () => {
  const { operations, time, add, sent } = startGroups();
  const hung = add(1);
  const waiting = add(2);
  time.nowMs = 4_000;
  const third = add(3);
  expect(sent()).toEqual([[1]]);
  time.nowMs = 4_001;
  const fourth = add(4);
  expect(sent()).toEqual([[1], [2, 3, 4]]);
  const later = add(5);
  await operations[1]?.end();
  expect(await Promise.all([waiting, third, fourth])).toEqual([2, 3, 4]);
  await operations[2]?.end();
  expect(await later).toBe(5);
  void add(6);
  const last = add(7);
  expect(sent()).toEqual([[1], [2, 3, 4], [5], [6]]);
  // When the replaced operation ends, no second operation starts beside the running one.
  await operations[0]?.end();
  expect(await hung).toBe(1);
  expect(sent()).toHaveLength(4);
  await operations[3]?.end();
  await operations[4]?.end();
  expect(await last).toBe(7);
});

test("rejects every request of a group whose operation fails, but no other request", async () => {
  const { operations, add } = startGroups();
  const first = add(1);
  const failing = [2, 3].map((id) => expect(add(id)).rejects.toThrow("connection lost"));
  await operations[0]?.end();
  const next = add(4);
  await operations[1]?.end(new Error("connection lost"));
  await Promise.all(failing);
  await operations[2]?.end();
  expect(await Promise.all([first, next])).toEqual([1, 4]);
});
