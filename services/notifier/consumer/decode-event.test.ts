import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";
import { type EventInit, eventBytes, testEvent } from "../event-fixture.ts";
import { decodeEvent } from "./decode-event.ts";

test("decodes a published event", () => {
  expect(decodeEvent(eventBytes(testEvent()))).toEqual({ event: testEvent() });
});

const bytesOf = (init: EventInit) => eventBytes(testEvent(init));
const { occurredAt: _omitted, ...withoutTime } = testEvent();
const invalidId = "the event id is missing, too long or not a valid header value";
const invalidType = "the event type is missing or unknown";

test.each([
  ["bytes of another format", Buffer.from("hello"), "the bytes are not a CertificateEvent"],
  ["a message without bytes", new Uint8Array(), invalidId],
  ["an id that is not a header value", bytesOf({ id: "a\nb" }), invalidId],
  ["a missing store", bytesOf({ storeId: "" }), "the event has no store id"],
  ["a missing certificate id", bytesOf({ certificateId: "" }), "the event has no certificate id"],
  ["a missing type", bytesOf({ type: EventType.UNSPECIFIED }), invalidType],
  ["an unknown type", bytesOf({ type: 77 as EventType }), invalidType],
  ["a missing time", eventBytes(create(CertificateEventSchema, withoutTime)), "the event has no timestamp"],
  ["a missing certificate", bytesOf({ certificateJson: new Uint8Array() }), "the event has no certificate"],
])("returns a problem for %s", (_name, bytes, problem) => {
  expect(decodeEvent(bytes)).toEqual({ problem });
});
