import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";
import { WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { buildMessageBody } from "./message-body.ts";

// The spaces and the escape, which JSON.stringify would change, prove that the JSON is not parsed.
const certificateJson = Buffer.from('{ "id":"cert-1", "title":"\\u00c9l" ,"order":null}');

const event = (more: MessageInitShape<typeof CertificateEventSchema> = {}) =>
  create(CertificateEventSchema, {
    shop: 'a"shop.example',
    type: EventType.ISSUED,
    occurredAt: timestampFromDate(new Date("2026-07-01T08:09:10.020Z")),
    certificateId: "cert-1",
    serial: "000042",
    certificateJson,
    ...more,
  });

test("version 2 embeds the certificate's exact bytes", () => {
  expect(buildMessageBody(event(), WebhookFormat.V2)?.toString()).toBe(
    '{"version":2,"event":"issued","shop":"a\\"shop.example","occurredAt":"2026-07-01T08:09:10.020Z",' +
      '"certificate":{ "id":"cert-1", "title":"\\u00c9l" ,"order":null}}',
  );
});

test("version 1 reduces the certificate to its id and serial number", () => {
  expect(buildMessageBody(event(), WebhookFormat.V1)?.toString()).toBe(
    '{"version":1,"event":"issued","shop":"a\\"shop.example","occurredAt":"2026-07-01T08:09:10.020Z",' +
      '"certificate":{"id":"cert-1","serial":"000042"}}',
  );
});

test.each([
  [EventType.ISSUED, "issued", true],
  [EventType.VERIFIED, "verified", true],
  [EventType.TRANSFERRED, "transferred", true],
  [EventType.REPORTED, "reported", true],
  [EventType.REVOKED, "revoked", false],
  [EventType.REACTIVATED, "reactivated", false],
])("event type %i has the name %s (included in version 1: %s)", (type, name, isInV1) => {
  const parsed = (format: WebhookFormat) => {
    const body = buildMessageBody(event({ type }), format);
    return body === undefined ? undefined : JSON.parse(body.toString());
  };
  expect(parsed(WebhookFormat.V2)).toMatchObject({ version: 2, event: name });
  if (isInV1) expect(parsed(WebhookFormat.V1)).toMatchObject({ version: 1, event: name });
  else expect(parsed(WebhookFormat.V1)).toBeUndefined();
});

test("returns no body for an unknown format", () => {
  expect(buildMessageBody(event(), WebhookFormat.UNSPECIFIED)).toBeUndefined();
});

test("includes the milliseconds of a timestamp even if they are zero", () => {
  const occurredAt = timestampFromDate(new Date("2026-07-01T08:09:10Z"));
  const body = buildMessageBody(event({ occurredAt }), WebhookFormat.V2)?.toString();
  expect(body).toContain('"occurredAt":"2026-07-01T08:09:10.000Z"');
});
