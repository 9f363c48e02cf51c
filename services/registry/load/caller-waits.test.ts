import { expect, test } from "vitest";
import { CallerWaits } from "./caller-waits.ts";

/** Creates CallerWaits with a timer that the test controls. */
function startWaits() {
  const sleeps: (() => void)[] = [];
  const waits = new CallerWaits({ sleep: () => new Promise((resolve) => void sleeps.push(resolve)) });
  const pass = async () => {
    sleeps.shift()?.();
    await new Promise(setImmediate);
  };
  return { waits, sleeps, pass };
}

const forever = () => new Promise<never>(() => undefined);
const patient = () => 1_000;

test("returns the value of the promise, or throws its error", async () => {
  const { waits } = startWaits();
  expect(await waits.wait(Promise.resolve(1), patient)).toBe(1);
  await expect(waits.wait(Promise.reject(new Error("failed")), patient)).rejects.toThrow("failed");
});

test("ends the wait of a caller that has disconnected, while the others keep waiting", async () => {
  const { waits, pass } = startWaits();
  let hasLeft = false;
  const { promise, resolve } = Promise.withResolvers<string>();
  const leaving = waits.wait(forever(), () => {
    if (hasLeft) throw new Error("left");
    return 1_000;
  });
  const staying = waits.wait(promise, patient);
  await pass();
  hasLeft = true;
  const left = expect(leaving).rejects.toThrow("left");
  await pass();
  await left;
  resolve("done");
  expect(await staying).toBe("done");
});

test("does not wait on behalf of a caller that has already disconnected", async () => {
  const { waits, sleeps } = startWaits();
  const gone = () => {
    throw new Error("left");
  };
  await expect(waits.wait(forever(), gone)).rejects.toThrow("left");
  expect(sleeps).toHaveLength(0);
});

test("uses one timer for all waits, and no timer when no caller is waiting", async () => {
  const { waits, sleeps, pass } = startWaits();
  await Promise.all([waits.wait(Promise.resolve(), patient), waits.wait(Promise.resolve(), patient)]);
  expect(sleeps).toHaveLength(1);
  await pass();
  expect(sleeps).toHaveLength(0);
  void waits.wait(forever(), patient);
  await pass();
  expect(sleeps).toHaveLength(1);
});
