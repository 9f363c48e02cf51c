import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test, vi } from "vitest";
import type { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { ManualClock } from "#shared/time/manual-clock-fixture.ts";
import { eventBytes, testEvent, testMessage } from "../event-fixture.ts";
import { createTestDispatcher, settle } from "./dispatcher-fixture.ts";
import { ack } from "./disposition.ts";
import { MessageSlot } from "./message-slot.ts";
import { Semaphore } from "./semaphore.ts";

const newSlot = () => new MessageSlot(new Semaphore(0));

test("quarantines, counts and terminates a message that cannot be decoded, and handles the next message", async () => {
  const { dispatcher, accept, handledIds, metrics, quarantined } = createTestDispatcher();
  const message = testMessage(Buffer.from("hello"), 1);
  await dispatcher.accept(message, newSlot());
  expect(quarantined).toEqual([["event-1", reason("event_malformed")]]);
  expect(message.answers).toEqual(["term event_malformed"]);
  accept({ id: "a" });
  await settle();
  expect(handledIds()).toEqual(["a"]);
  expect(await metrics.metrics()).toContain("notifier_messages_quarantined_total 1");
});

const hourMs = 3_600_000;

/** Delivers an event of an unknown type to a notifier; returns the answers. */
async function answersToUnknownType({ ageMs = 0, deliveryCount = 1 }) {
  const clock = new ManualClock(1_000 * hourMs);
  const { dispatcher, handledIds, metrics, quarantined } = createTestDispatcher({ clock });
  const queuedAt = timestampFromMs(clock.now() - ageMs);
  const event = testEvent({ type: 77 as EventType, queuedAt, occurredAt: timestampFromMs(0) });
  const message = testMessage(eventBytes(event), 1, deliveryCount);
  await dispatcher.accept(message, newSlot());
  expect(handledIds()).toEqual([]);
  const isReturned = (await metrics.metrics()).includes('notifier_messages_nak_total{cause="unknown_type"} 1');
  return { answers: message.answers, isReturned, quarantined };
}

test.each([
  { ageMs: 0 },
  { ageMs: hourMs - 1, deliveryCount: 200 },
  // The clock of the database is ahead of the notifier's.
  { ageMs: -2 * hourMs, deliveryCount: 240 },
])(
  "returns an event of an unknown type, which a later version may know, until it is an hour old: %o",
  async (delivery) => {
    const expected = { answers: ["nak 15000"], isReturned: true, quarantined: [] };
    expect(await answersToUnknownType(delivery)).toEqual(expected);
  },
);

test.each([
  // Of a store's backlog, few events are in the stream at once: an hour for each of them would delay the rest for days.
  { ageMs: hourMs },
  { ageMs: -2 * hourMs, deliveryCount: 241 },
])("quarantines an event of an unknown type that is an hour old or was delivered 240 times: %o", async (delivery) => {
  const problem = reason("event_type_unknown", { type: 77 });
  const expected = { answers: ["term event_type_unknown"], isReturned: false, quarantined: [["event-1", problem]] };
  expect(await answersToUnknownType(delivery)).toEqual(expected);
});

test("requests redelivery of a message that cannot be quarantined", async () => {
  const quarantine = () => Promise.reject(new Error("unavailable"));
  const { dispatcher, metrics } = createTestDispatcher({ quarantine });
  const message = testMessage(Buffer.from("hello"), 1);
  await dispatcher.accept(message, newSlot());
  expect(message.answers).toEqual(["nak 5000"]);
  expect(await metrics.metrics()).toContain("notifier_messages_quarantined_total 0");
});

test("requests redelivery when the handler throws", async () => {
  const { dispatcher } = createTestDispatcher({ handle: () => Promise.reject(new Error("broken")) });
  const message = testMessage(eventBytes(testEvent()), 1);
  await dispatcher.accept(message, newSlot());
  expect(message.answers).toEqual(["nak 5000"]);
});

test("sends heartbeats for every message in progress or waiting, until it is acknowledged", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const storeConcurrency = { storeMax: 1, slowMax: 5, unknownMax: 5 };
    const { accept, calls } = createTestDispatcher({ storeConcurrency });
    const messages = ["a", "b"].map((id) => accept({ id }));
    await settle();
    vi.advanceTimersByTime(30_000);
    const heartbeats = ["working", "working", "working"];
    expect(messages.map(({ answers }) => answers)).toEqual([heartbeats, heartbeats]);
    for (const index of [0, 1]) {
      calls[index]?.finish(ack);
      await settle();
    }
    vi.advanceTimersByTime(30_000);
    expect(messages.map(({ answers }) => answers)).toEqual([
      [...heartbeats, "ack"],
      [...heartbeats, "ack"],
    ]);
  } finally {
    vi.useRealTimers();
  }
});

test("stop() requests redelivery of waiting and new messages, and waits for deliveries in progress", async () => {
  const { dispatcher, accept, calls, handledIds } = createTestDispatcher({
    storeConcurrency: { storeMax: 1, slowMax: 5, unknownMax: 5 },
  });
  const inProgress = accept({ id: "a", certificateId: "a" });
  const waiting = accept({ id: "b", certificateId: "b" });
  const ofOtherStore = accept({ id: "x", certificateId: "x", storeId: "store-2" });
  await settle();
  let isStopped = false;
  const stopping = dispatcher.stop(5_000).then(() => {
    isStopped = true;
  });
  const late = accept({ id: "z", certificateId: "z", storeId: "store-3" });
  await settle();
  expect(isStopped).toBe(false);
  expect(waiting.answers).toEqual(["nak 0"]);
  expect(late.answers).toEqual(["nak 0"]);
  for (const { finish } of calls) finish(ack);
  await stopping;
  expect(handledIds()).toEqual(["a", "x"]);
  expect([inProgress, ofOtherStore].map(({ answers }) => answers)).toEqual([["ack"], ["ack"]]);
});

test("stop() interrupts deliveries still in progress after the grace period", async () => {
  const { dispatcher, accept, calls } = createTestDispatcher();
  const message = accept({ id: "a" });
  await settle();
  calls[0]?.signal.addEventListener("abort", () => calls[0]?.finish(ack));
  await dispatcher.stop(20);
  expect(calls[0]?.signal.reason).toMatchObject({
    reason: { code: "sender_stopped", params: {} },
  });
  expect(message.answers).toEqual(["ack"]);
});
