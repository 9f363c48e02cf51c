import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import type { CertificateEvent } from "#gen/events/v1/certificate_event_pb.js";
import { createMetrics } from "#shared/http/operations-server.ts";
import { type Clock, systemClock } from "#shared/time/clock.ts";
import { type Disposition, settled } from "./disposition.ts";
import { type EventInit, eventBytes, type TestMessage, testEvent, testMessage } from "./event-fixture.ts";
import { MessageDispatcher, type MessageDispatcherOptions } from "./message-dispatcher.ts";
import { MessageSlot } from "./message-slot.ts";
import { notifierMetrics } from "./notifier-metrics.ts";
import { Semaphore } from "./semaphore.ts";

interface Handled {
  readonly event: CertificateEvent;
  readonly cut: AbortSignal;
  readonly onSend: ((sent: Promise<unknown>) => void) | undefined;
  readonly finish: (disposition: Disposition) => void;
}

/** An dispatcher whose events are finished by the test. */
function heldIntake(options: Partial<MessageDispatcherOptions> = {}) {
  const handled: Handled[] = [];
  const kept: [string, string][] = [];
  const metrics = createMetrics();
  const pool = new Semaphore(10);
  const dispatcher = new MessageDispatcher({
    quarantine: async (message, problem) => void kept.push([message.messageId, problem]),
    handle: (event, cut, onSend) => new Promise((finish) => handled.push({ event, cut, onSend, finish })),
    storeConcurrency: { storeMax: 2, slowMax: 5, unprovenMax: 5 },
    waitingMax: 20,
    clock: systemClock,
    metrics: notifierMetrics(metrics),
    logger: pino({ level: "silent" }),
    ...options,
  });
  onTestFinished(() => {
    for (const { finish } of handled) finish(settled);
    return dispatcher.stop(0);
  });
  let sequence = 0;
  const accept = (more: EventInit, at = ++sequence, deliveryCount = 1): TestMessage => {
    const message = testMessage(eventBytes(testEvent(more)), at, deliveryCount);
    pool.forceAcquire();
    dispatcher.accept(message, new MessageSlot(pool));
    return message;
  };
  const ids = () => handled.map(({ event }) => event.id);
  return { dispatcher, accept, handled, ids, metrics, pool, kept };
}

const turn = () => delay(5);

test("a store has so many events under way, and another store does not wait for it", async () => {
  const { accept, handled, ids } = heldIntake();
  for (const id of ["a", "b", "c"]) accept({ id, certificateId: id });
  await turn();
  expect(ids()).toEqual(["a", "b"]);
  accept({ id: "x", certificateId: "x", storeId: "store-2" });
  await turn();
  expect(ids()).toEqual(["a", "b", "x"]);
  handled[1]?.finish(settled);
  await turn();
  expect(ids()).toEqual(["a", "b", "x", "c"]);
});

test("what waits for its store takes no slot, and has one again when its turn comes", async () => {
  const { accept, handled, pool } = heldIntake();
  for (const id of ["a", "b", "c", "d", "e"]) accept({ id, certificateId: id });
  await turn();
  expect(pool.free).toBe(8);
  handled[1]?.finish(settled);
  await turn();
  expect(pool.free).toBe(8);
  for (let index = 0; index < 5; index++) {
    handled[index]?.finish(settled);
    await turn();
  }
  expect(pool.free).toBe(10);
});

test("no more messages wait than there is room for; the others come again, later each time", async () => {
  const { accept, handled, ids, pool, metrics } = heldIntake({ waitingMax: 3 });
  const messages = ["a", "b", "c", "d", "e", "f"].map((id) => accept({ id, certificateId: id }));
  messages.push(accept({ id: "g" }, 7, 3), accept({ id: "h" }, 8, 30));
  await turn();
  expect(pool.free).toBe(8);
  const answers = messages.map(({ answers }) => answers.map((text) => Number(text.replace("nak ", ""))));
  expect(answers.slice(0, 5)).toEqual([[], [], [], [], []]);
  for (const [index, delayMs] of [2_000, 8_000, 30_000].entries()) {
    expect(answers[5 + index]).toHaveLength(1);
    expect(answers[5 + index]?.[0]).toBeGreaterThanOrEqual(delayMs * 0.75);
    expect(answers[5 + index]?.[0]).toBeLessThanOrEqual(delayMs);
  }
  expect(await metrics.metrics()).toContain("notifier_messages_in_hand 5");
  expect(await metrics.metrics()).toContain('notifier_messages_nak_total{cause="overloaded"} 3');
  handled[0]?.finish({ kind: "settled", deliveryMs: 20 });
  await turn();
  expect(ids()).toEqual(["a", "b", "c"]);
  expect(await metrics.metrics()).toContain("notifier_messages_in_hand 4");
});

test("a message whose store has room for it counts as waiting until it has a slot again", async () => {
  const storeConcurrency = { storeMax: 1, slowMax: 5, unprovenMax: 5 };
  const { accept, handled, ids, pool } = heldIntake({ storeConcurrency, waitingMax: 1 });
  for (const id of ["a", "b"]) accept({ id, certificateId: id });
  const { signal } = new AbortController();
  await pool.reserve(9, signal);
  const pulls = pool.reserve(1, signal);
  handled[0]?.finish({ kind: "settled", deliveryMs: 20 });
  await turn();
  expect(await pulls).toBe(1);
  const refused = accept({ id: "c", certificateId: "c" });
  await turn();
  expect(refused.answers).toHaveLength(1);
  pool.release(2);
  await turn();
  expect(ids()).toEqual(["a", "b"]);
});

test("a store whose receiver is slow has one event under way, until it is quick again", async () => {
  const { accept, handled, ids } = heldIntake();
  const take = (...names: string[]) => names.map((id) => accept({ id, certificateId: id }));
  take("a", "b", "c", "d", "e");
  await turn();
  handled[0]?.finish({ kind: "settled", deliveryMs: 8_000 });
  handled[1]?.finish(settled);
  await turn();
  expect(ids()).toEqual(["a", "b", "c"]);
  handled[2]?.finish({ kind: "settled", deliveryMs: 30 });
  await turn();
  expect(ids()).toEqual(["a", "b", "c", "d", "e"]);
});

const never = new Promise(() => undefined);

/** A clock whose sleepers wake when the test says so. */
function heldClock() {
  const sleepers: {
    readonly durationMs: number;
    readonly signal?: AbortSignal;
    readonly wake: () => void;
  }[] = [];
  const clock: Clock = {
    now: () => 0,
    sleep: (durationMs, signal) =>
      new Promise((wake) => sleepers.push({ durationMs, wake, ...(signal && { signal }) })),
  };
  const wake = () => {
    for (const { wake } of sleepers.splice(0)) wake();
    return turn();
  };
  return { clock, sleepers, wake };
}

test("a store is slow as soon as its message is under way for two seconds, and the claim does not count", async () => {
  const { clock, sleepers, wake } = heldClock();
  const { accept, handled, ids } = heldIntake({ clock });
  for (const id of ["a", "b", "c"]) accept({ id, certificateId: id });
  await turn();
  expect(sleepers).toEqual([]);
  handled[0]?.onSend?.(never);
  expect(sleepers).toMatchObject([{ durationMs: 2_000, signal: { aborted: false } }]);
  await wake();
  handled[1]?.finish(settled);
  await turn();
  expect(ids()).toEqual(["a", "b"]);
  handled[0]?.finish({ kind: "settled", deliveryMs: 9_000 });
  await turn();
  expect(ids()).toEqual(["a", "b", "c"]);
});

test("a delivery that ended in time makes no store slow, however long its outcome takes to be stored", async () => {
  const { clock, sleepers, wake } = heldClock();
  const { accept, handled, ids } = heldIntake({ clock });
  for (const id of ["a", "b", "c", "d"]) accept({ id, certificateId: id });
  await turn();
  handled[0]?.onSend?.(Promise.resolve());
  await turn();
  expect(sleepers).toMatchObject([{ signal: { aborted: true } }]);
  await wake();
  handled[1]?.finish(settled);
  await turn();
  expect(ids()).toEqual(["a", "b", "c"]);
});

test("a whole pool of unproven stores that hang together leaves room for those that are known to be quick", async () => {
  const { clock, wake } = heldClock();
  const storeConcurrency = { storeMax: 2, slowMax: 3, unprovenMax: 2 };
  const { accept, handled, ids, pool } = heldIntake({ clock, storeConcurrency });
  accept({ id: "proof", storeId: "quick" });
  await turn();
  handled[0]?.finish({ kind: "settled", deliveryMs: 20 });
  await turn();
  for (let index = 0; index < 10; index++) accept({ id: `hanging-${index}`, storeId: `hanging-${index}` });
  // Long enough for all to be known as slow.
  for (let round = 0; round < 5; round++) {
    for (const { onSend } of handled.slice(1)) onSend?.(never);
    await wake();
  }
  expect(pool.free).toBe(5);
  for (const id of ["first", "second"]) accept({ id, certificateId: id, storeId: "quick" });
  await turn();
  expect(ids().slice(6)).toEqual(["first", "second"]);
});

test("what waited for its store also waits for a slot, in line with the pulls", async () => {
  const { accept, handled, ids, pool } = heldIntake({
    storeConcurrency: { storeMax: 1, slowMax: 5, unprovenMax: 5 },
  });
  for (const id of ["a", "b"]) accept({ id, certificateId: id });
  const { signal } = new AbortController();
  expect(await pool.reserve(10, signal)).toBe(9);
  const pulls = pool.reserve(1, signal);
  handled[0]?.finish(settled);
  await turn();
  expect(await pulls).toBe(1);
  expect(ids()).toEqual(["a"]);
  pool.release(1);
  await turn();
  expect(ids()).toEqual(["a", "b"]);
});

test("an event that cannot be read is quarantined, counted, and holds up nobody", async () => {
  const { dispatcher, accept, ids, metrics, kept } = heldIntake();
  const message = testMessage(Buffer.from("hello"), 1);
  await dispatcher.accept(message, new MessageSlot(new Semaphore(0)));
  expect(kept).toEqual([["event-1", "the bytes are no CertificateEvent"]]);
  expect(message.answers).toEqual(["term the bytes are no CertificateEvent"]);
  accept({ id: "a" }, 2);
  await turn();
  expect(ids()).toEqual(["a"]);
  expect(await metrics.metrics()).toContain("notifier_messages_quarantined_total 1");
});

test("an event that cannot be read comes again until it is quarantined", async () => {
  const { dispatcher, metrics } = heldIntake({ quarantine: () => Promise.reject(new Error("away")) });
  const message = testMessage(Buffer.from("hello"), 1);
  await dispatcher.accept(message, new MessageSlot(new Semaphore(0)));
  expect(message.answers).toEqual(["nak 5000"]);
  expect(await metrics.metrics()).toContain("notifier_messages_quarantined_total 0");
});

test("an error while handling puts the event back", async () => {
  const { dispatcher } = heldIntake({ handle: () => Promise.reject(new Error("broken")) });
  const message = testMessage(eventBytes(testEvent()), 1);
  await dispatcher.accept(message, new MessageSlot(new Semaphore(0)));
  expect(message.answers).toEqual(["nak 5000"]);
});

test("everything in hand, under way or waiting, shows signs of life until it is answered", async () => {
  const { accept, handled } = heldIntake({ heartbeatMs: 20 });
  const messages = ["a", "b"].map((id) => accept({ id }));
  for (const { answers } of messages)
    await expect
      .poll(() => answers.slice(0, 3), { timeout: 10_000, interval: 10 })
      .toEqual(["working", "working", "working"]);
  for (const index of [0, 1]) {
    handled[index]?.finish(settled);
    await turn();
  }
  const answered = messages.map(({ answers }) => answers.length);
  await delay(50);
  expect(messages.map(({ answers }) => answers.length)).toEqual(answered);
  expect(messages.map(({ answers }) => answers.at(-1))).toEqual(["ack", "ack"]);
});

test("stopping puts back what is not claimed and waits for what is", async () => {
  const { dispatcher, accept, handled, ids } = heldIntake({
    storeConcurrency: { storeMax: 1, slowMax: 5, unprovenMax: 5 },
  });
  const underWay = accept({ id: "a", certificateId: "a" });
  const waitingForSlot = accept({ id: "b", certificateId: "b" });
  const ofOtherStore = accept({ id: "x", certificateId: "x", storeId: "store-2" });
  await turn();
  let isStopped = false;
  const stopping = dispatcher.stop(5_000).then(() => {
    isStopped = true;
  });
  const late = accept({ id: "z", certificateId: "z", storeId: "store-3" });
  await turn();
  expect(isStopped).toBe(false);
  expect(waitingForSlot.answers).toEqual(["nak 0"]);
  expect(late.answers).toEqual(["nak 0"]);
  for (const { finish } of handled) finish(settled);
  await stopping;
  expect(ids()).toEqual(["a", "x"]);
  expect([underWay, ofOtherStore].map(({ answers }) => answers)).toEqual([["ack"], ["ack"]]);
});

test("what is still under way after the grace period is cut short", async () => {
  const { dispatcher, accept, handled } = heldIntake();
  const message = accept({ id: "a" });
  await turn();
  handled[0]?.cut.addEventListener("abort", () => handled[0]?.finish(settled));
  await dispatcher.stop(20);
  expect(handled[0]?.cut.reason).toMatchObject({
    message: "The sender was stopped before the receiver replied.",
  });
  expect(message.answers).toEqual(["ack"]);
});
