import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type CertificateEvent,
  CertificateEventSchema,
  EventType,
} from "#gen/events/v1/certificate_event_pb.js";
import type { IncomingMessage } from "./incoming-message.ts";

/** What a test says of an event. */
export type EventInit = MessageInitShape<typeof CertificateEventSchema>;

/** An event for tests. */
export function testEvent(more: EventInit = {}): CertificateEvent {
  const certificateId = more.certificateId ?? "certificate-1";
  return create(CertificateEventSchema, {
    id: "event-1",
    storeId: "store-1",
    shop: "shop.example",
    type: EventType.ISSUED,
    occurredAt: timestampFromDate(new Date("2026-07-01T08:09:10.020Z")),
    certificateId,
    serial: "000042",
    certificateJson: new TextEncoder().encode(`{"id":"${certificateId}"}`),
    ...more,
  });
}

/** An event's bytes. */
export function eventBytes(event: CertificateEvent): Uint8Array {
  return toBinary(CertificateEventSchema, event);
}

/** A message for tests that writes down how it was answered. */
export interface TestMessage extends IncomingMessage {
  readonly answers: string[];
}

/** A message as if JetStream had handed it over. */
export function testMessage(data: Uint8Array, sequence: number, deliveryCount = 1): TestMessage {
  const answers: string[] = [];
  return {
    subject: "certificates.0.store-1.issued",
    messageId: "event-1",
    data,
    sequence,
    deliveryCount,
    answers,
    ack: () => void answers.push("ack"),
    nak: (delayMs) => void answers.push(`nak ${Math.round(delayMs)}`),
    term: (reason) => void answers.push(`term ${reason}`),
    working: () => void answers.push("working"),
  };
}
