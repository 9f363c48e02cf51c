import { expect, onTestFinished, test, vi } from "vitest";
import { createTestDispatcher, settle } from "./dispatcher-fixture.ts";
import { ack, ackAfter } from "./disposition.ts";

const { signal } = new AbortController();

test("releases a message's slot while the message waits for its store", async () => {
  const { accept, calls, slots } = createTestDispatcher();
  for (const id of ["a", "b", "c", "d", "e"]) accept({ id, certificateId: id });
  await settle();
  expect(slots.free).toBe(8);
  calls[1]?.finish(ack);
  await settle();
  expect(slots.free).toBe(8);
  for (let index = 0; index < 5; index++) {
    calls[index]?.finish(ack);
    await settle();
  }
  expect(slots.free).toBe(10);
});

test("sheds messages beyond the queue limit, and naks them with exponential backoff", async () => {
  const { accept, calls, handledIds, slots, metrics } = createTestDispatcher({ waitingMax: 3 });
  const messages = ["a", "b", "c", "d", "e", "f"].map((id) => accept({ id, certificateId: id }));
  messages.push(accept({ id: "g" }, 3), accept({ id: "h" }, 30));
  await settle();
  expect(slots.free).toBe(8);
  const delays = messages.map(({ answers }) => answers.map((text) => Number(text.replace("nak ", ""))));
  expect(delays.slice(0, 5)).toEqual([[], [], [], [], []]);
  for (const [index, delayMs] of [2_000, 8_000, 30_000].entries()) {
    expect(delays[5 + index]).toHaveLength(1);
    expect(delays[5 + index]?.[0]).toBeGreaterThanOrEqual(delayMs * 0.75);
    expect(delays[5 + index]?.[0]).toBeLessThanOrEqual(delayMs);
  }
  expect(await metrics.metrics()).toContain("notifier_messages_in_progress 5");
  expect(await metrics.metrics()).toContain('notifier_messages_nak_total{cause="overloaded"} 3');
  calls[0]?.finish(ackAfter(20));
  await settle();
  expect(handledIds()).toEqual(["a", "b", "c"]);
  expect(await metrics.metrics()).toContain("notifier_messages_in_progress 4");
});

test("counts a message as waiting until it has reacquired a slot", async () => {
  const storeConcurrency = { storeMax: 1, slowMax: 5, unknownMax: 5 };
  const { accept, calls, handledIds, slots } = createTestDispatcher({ storeConcurrency, waitingMax: 1 });
  for (const id of ["a", "b"]) accept({ id, certificateId: id });
  await slots.acquire(9, signal);
  const pull = slots.acquire(1, signal);
  calls[0]?.finish(ackAfter(20));
  await settle();
  expect(await pull).toBe(1);
  const shed = accept({ id: "c", certificateId: "c" });
  await settle();
  expect(shed.answers).toHaveLength(1);
  slots.release(2);
  await settle();
  expect(handledIds()).toEqual(["a", "b"]);
});

test("when a delivery ends, the store's waiting message queues for a slot behind earlier pulls", async () => {
  const { accept, calls, handledIds, slots } = createTestDispatcher({
    storeConcurrency: { storeMax: 1, slowMax: 5, unknownMax: 5 },
  });
  for (const id of ["a", "b"]) accept({ id, certificateId: id });
  expect(await slots.acquire(10, signal)).toBe(9);
  const pull = slots.acquire(1, signal);
  calls[0]?.finish(ack);
  await settle();
  expect(await pull).toBe(1);
  expect(handledIds()).toEqual(["a"]);
  slots.release(1);
  await settle();
  expect(handledIds()).toEqual(["a", "b"]);
});

test("limits a slow store to one delivery at a time until a delivery is fast", async () => {
  const { accept, calls, handledIds } = createTestDispatcher();
  for (const id of ["a", "b", "c", "d", "e"]) accept({ id, certificateId: id });
  await settle();
  calls[0]?.finish(ackAfter(8_000));
  calls[1]?.finish(ack);
  await settle();
  expect(handledIds()).toEqual(["a", "b", "c"]);
  calls[2]?.finish(ackAfter(30));
  await settle();
  expect(handledIds()).toEqual(["a", "b", "c", "d", "e"]);
});

const never = new Promise(() => undefined);

/** Replaces `setTimeout` until the test ends. Call it after {@link createTestDispatcher}, whose stop needs timers. */
const fakeTimers = () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
};

test("marks a store slow once sending has taken two seconds, not counting the claim", async () => {
  const { accept, calls, handledIds } = createTestDispatcher();
  fakeTimers();
  for (const id of ["a", "b", "c"]) accept({ id, certificateId: id });
  await settle();
  vi.advanceTimersByTime(9_000);
  calls[0]?.onSend?.(never);
  vi.advanceTimersByTime(2_000);
  calls[1]?.finish(ack);
  await settle();
  expect(handledIds()).toEqual(["a", "b"]);
  calls[0]?.finish(ackAfter(9_000));
  await settle();
  expect(handledIds()).toEqual(["a", "b", "c"]);
});

test("does not mark a store slow while a finished delivery's outcome is being recorded", async () => {
  const { accept, calls, handledIds } = createTestDispatcher();
  fakeTimers();
  for (const id of ["a", "b", "c", "d"]) accept({ id, certificateId: id });
  await settle();
  calls[0]?.onSend?.(Promise.resolve());
  await settle();
  vi.advanceTimersByTime(9_000);
  calls[1]?.finish(ack);
  await settle();
  expect(handledIds()).toEqual(["a", "b", "c"]);
});

test("keeps slots free for fast stores while receivers of unknown latency hang", async () => {
  const storeConcurrency = { storeMax: 2, slowMax: 3, unknownMax: 2 };
  const { accept, calls, handledIds, slots } = createTestDispatcher({ storeConcurrency });
  fakeTimers();
  accept({ id: "warm-up", storeId: "fast" });
  await settle();
  calls[0]?.finish(ackAfter(20));
  await settle();
  for (let index = 0; index < 10; index++) accept({ id: `hanging-${index}`, storeId: `hanging-${index}` });
  // After five rounds, every hanging store whose delivery can start is marked as slow.
  for (let round = 0; round < 5; round++) {
    for (const { onSend } of calls.slice(1)) onSend?.(never);
    vi.advanceTimersByTime(2_000);
    await settle();
  }
  expect(slots.free).toBe(5);
  for (const id of ["first", "second"]) accept({ id, certificateId: id, storeId: "fast" });
  await settle();
  expect(handledIds().slice(6)).toEqual(["first", "second"]);
});
