import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type CertificateEvent, CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { IncomingMessage } from "./consumer/incoming-message.ts";

/** The fields of a test event that differ from the defaults of {@link testEvent}. */
export type EventInit = MessageInitShape<typeof CertificateEventSchema>;

/** Creates a valid event. */
export function testEvent(init: EventInit = {}): CertificateEvent {
  const certificateId = init.certificateId ?? "certificate-1";
  return create(CertificateEventSchema, {
    id: "event-1",
    storeId: "store-1",
    shop: "shop.example",
    type: EventType.ISSUED,
    occurredAt: timestampFromDate(new Date("2026-07-01T08:09:10.020Z")),
    certificateId,
    serial: "000042",
    certificateJson: new TextEncoder().encode(`{"id":"${certificateId}"}`),
    ...init,
  });
}

/** Encodes an event as the registry does. */
export function eventBytes(event: CertificateEvent): Uint8Array {
  return toBinary(CertificateEventSchema, event);
}

/** A message that records its acknowledgements. */
export interface TestMessage extends IncomingMessage {
  /** `ack`, `nak <delay ms>`, `term <reason>` or `working`. */
  readonly answers: string[];
}

/** Creates a message as JetStream delivers it. */
export function testMessage(data: Uint8Array, sequence: number, deliveryCount = 1): TestMessage {
  const answers: string[] = [];
  return {
    subject: "certificates.0.store-1.issued",
    messageId: "event-1",
    traceparent: "",
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
