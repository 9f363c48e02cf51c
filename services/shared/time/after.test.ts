import { once } from "node:events";
import { expect, test } from "vitest";
import { connectedSockets } from "../../../test/harness/sockets/connected-sockets.ts";
import { after } from "./after.ts";

const pause = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test("acts once the time has passed", async () => {
  const startedAt = performance.now();
  await new Promise<void>((resolve) => void after(50, resolve));
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(49);
});

test("acts after input that has arrived while the process was paused for longer than the time", async () => {
  const [near, far] = await connectedSockets();
  const order: string[] = [];
  const received = once(near, "data").then(() => void order.push("input"));
  const acted = new Promise<void>((resolve) => void after(20, resolve)).then(() => void order.push("action"));
  // Written to the socket at once.
  far.write("x");
  pause(100);
  await Promise.all([received, acted]);
  expect(order).toEqual(["input", "action"]);
});

test("does not act if it is disposed of by that input", async () => {
  const [near, far] = await connectedSockets();
  let acted = false;
  const action = after(20, () => {
    acted = true;
  });
  near.once("data", () => action[Symbol.dispose]());
  far.write("x");
  pause(100);
  await once(near, "data");
  await new Promise((resolve) => setImmediate(resolve));
  expect(acted).toBe(false);
});

test("does not act if it is disposed of before the time has passed", async () => {
  let acted = false;
  {
    using _action = after(1, () => {
      acted = true;
    });
  }
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(acted).toBe(false);
});
