import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";
import { decodeEvent } from "./decode-event.ts";
import { eventBytes, testEvent } from "./event-fixture.ts";

test("an event is read as it was written", () => {
  expect(decodeEvent(eventBytes(testEvent()))).toEqual({ event: testEvent() });
});

test.each([
  ["no event", Buffer.from("hello"), "the bytes are no CertificateEvent"],
  ["nothing", new Uint8Array(), "the event has no usable id"],
  ["an id that is no header", eventBytes(testEvent({ id: "a\nb" })), "the event has no usable id"],
  ["no store", eventBytes(testEvent({ storeId: "" })), "the event names no store"],
  ["no certificate", eventBytes(testEvent({ certificateId: "" })), "the event names no certificate"],
  ["no type", eventBytes(testEvent({ type: EventType.UNSPECIFIED })), "the event has no known type"],
  ["a new type", eventBytes(testEvent({ type: 77 as EventType })), "the event has no known type"],
  [
    "no bytes",
    eventBytes(testEvent({ certificateJson: new Uint8Array() })),
    "the event holds no certificate",
  ],
])("%s is a problem, not an error", (_name, bytes, problem) => {
  expect(decodeEvent(bytes)).toEqual({ problem });
});

test("an event without a time is a problem", () => {
  const { occurredAt: _none, ...rest } = testEvent();
  expect(decodeEvent(eventBytes(create(CertificateEventSchema, rest)))).toEqual({
    problem: "the event has no time",
  });
});
