import { expect, test } from "vitest";
import { eventually } from "./eventually.ts";
import { withTimeout } from "./with-timeout.ts";

test("eventually repeats a check until it does not throw, and returns its result", async () => {
  let tries = 0;
  const check = () => {
    if (++tries < 3) throw new Error("not yet");
    return tries;
  };
  expect(await eventually(check, { everyMs: 1 })).toBe(3);
});

test("eventually throws the last error of the check after the time limit", async () => {
  let tries = 0;
  const check = async () => {
    throw new Error(`try ${++tries}`);
  };
  const error = await eventually(check, { withinMs: 1_000, everyMs: 50 }).catch((reason: Error) => reason);
  expect(error).toEqual(new Error(`try ${tries}`));
  expect(tries).toBeGreaterThan(1);
});

test("withTimeout rejects after the limit and passes a late result to the `late` callback", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const undone: string[] = [];
  const waiting = withTimeout("the work", 10, promise, (result) => undone.push(result));
  await expect(waiting).rejects.toThrow("the work took longer than 0.01 s");
  resolve("late");
  await promise;
  await Promise.resolve();
  expect(undone).toEqual(["late"]);
  expect(await withTimeout("the work", 1_000, Promise.resolve("in time"))).toBe("in time");
});
