import { create } from "@bufbuild/protobuf";
import type { Msg } from "nats";
import { expect, test } from "vitest";
import { CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { type EventInit, eventBytes, testEvent } from "../event-fixture.ts";
import { decodeEvent, incomingMessage } from "./incoming-message.ts";

function received(reply: string, respond: (text: string) => void = () => undefined): Msg {
  const message = { subject: "certificates.3.store-1.issued", data: Buffer.from("x"), reply, respond };
  return message as unknown as Msg;
}

test.each([
  ["$JS.ACK.CERTIFICATES.notifier-3.2.41.7.1700000000000000000.0", 41, 2],
  ["$JS.ACK.hub.account.CERTIFICATES.notifier-3.3.42.7.1700000000000000000.0.random", 42, 3],
  ["$JS.ACK._.account.CERTIFICATES.notifier-3.1.43.7.1700000000000000000.0", 43, 1],
])("reads the sequence number and the delivery count from the reply subject %s", (reply, sequence, deliveryCount) => {
  expect(incomingMessage(received(reply))).toMatchObject({ sequence, deliveryCount });
});

test.each(["", "_INBOX.1.2", "$JS.ACK.a.b", "$JS.ACK.a.b.x.y.z.1.2"])(
  "returns undefined for the reply subject %j",
  (reply) => {
    expect(incomingMessage(received(reply))).toBeUndefined();
  },
);

test("sends JetStream acknowledgements, and ignores the error if the connection is closed", () => {
  const sent: string[] = [];
  const reply = "$JS.ACK.S.C.1.1.1.1.0";
  const message = incomingMessage(received(reply, (text) => sent.push(text)));
  message?.ack();
  message?.nak(0);
  message?.nak(1_500.2);
  message?.term("not an event");
  message?.working();
  expect(sent).toEqual(["+ACK", "-NAK", '-NAK {"delay": 1501000000}', "+TERM not an event", "+WPI"]);
  const closed = received(reply, () => {
    throw new Error("CONNECTION_CLOSED");
  });
  expect(() => incomingMessage(closed)?.ack()).not.toThrow();
});

test("decodes a published event", () => {
  expect(decodeEvent(eventBytes(testEvent()))).toEqual({ event: testEvent() });
});

const bytesOf = (init: EventInit) => eventBytes(testEvent(init));
const { occurredAt: _omitted, ...withoutTime } = testEvent();
const invalidId = reason("event_id_malformed");
const missing = (field: string) => reason("event_field_missing", { field });

test.each([
  ["bytes of another format", Buffer.from("hello"), reason("event_malformed")],
  ["a message without bytes", new Uint8Array(), invalidId],
  ["an id that is not a header value", bytesOf({ id: "a\nb" }), invalidId],
  ["a missing store", bytesOf({ storeId: "" }), missing("store_id")],
  ["a missing certificate id", bytesOf({ certificateId: "" }), missing("certificate_id")],
  ["a missing type", bytesOf({ type: EventType.UNSPECIFIED }), missing("type")],
  [
    "an unknown type without a certificate",
    bytesOf({ type: 77 as EventType, certificateJson: new Uint8Array() }),
    missing("certificate_json"),
  ],
  ["a missing time", eventBytes(create(CertificateEventSchema, withoutTime)), missing("occurred_at")],
  ["a missing certificate", bytesOf({ certificateJson: new Uint8Array() }), missing("certificate_json")],
])("returns a problem for %s", (_name, bytes, problem) => {
  expect(decodeEvent(bytes)).toEqual({ problem });
});

test("recognizes an event of a type that only a later version knows", () => {
  const event = testEvent({ type: 77 as EventType });
  const problem = reason("event_type_unknown", { type: 77 });
  expect(decodeEvent(eventBytes(event))).toEqual({ problem, mayBecomeKnown: event });
});
