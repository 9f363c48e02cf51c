import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { TriggerLeaseSchema } from "#gen/registry/v1/trigger_delivery_service_pb.js";
import { TriggerFormat } from "#gen/registry/v1/trigger_service_pb.js";
import { createLogger } from "#shared/observe/logger.ts";
import { systemClock } from "#shared/time/clock.ts";
import { sendToTrigger } from "./send-to-trigger.ts";
import { UnsupportedByVersion } from "./trigger-message.ts";
import { triggerMetrics } from "./trigger-metrics.ts";

const event = create(CertificateEventSchema, {
  id: "evt_1",
  type: EventType.ISSUED,
  shop: "shop.example",
  certificateId: "crt_1",
  occurredAt: timestampFromMs(0),
});

/** Attempts to send an event; fails the test if something is sent. */
function attempt(bytes: Uint8Array, format: TriggerFormat) {
  const deps = {
    send: () => Promise.reject(new Error("a message was sent")),
    metrics: triggerMetrics(new Registry()),
    clock: systemClock,
    logger: createLogger("notifier", "silent"),
  };
  const lease = create(TriggerLeaseSchema, { event: bytes, format, url: "https://receiver.example/" });
  return sendToTrigger(deps, lease, () => true, new AbortController().signal);
}

test.each([
  ["cannot be decoded", Uint8Array.of(255), TriggerFormat.CLOUDEVENTS],
  ["has no certificate", toBinary(CertificateEventSchema, event), TriggerFormat.PROFILE],
  ["has no time", toBinary(CertificateEventSchema, { ...event, occurredAt: undefined }), TriggerFormat.CLOUDEVENTS],
])("an event that %s is skipped, because no attempt could send it", async (_problem, bytes, format) => {
  expect((await attempt(bytes, format)).kind).toBe(OutcomeKind.SKIPPED);
});

test.each([
  ["format", event, 99 as TriggerFormat],
  ["type of event", { ...event, type: 99 as EventType }, TriggerFormat.CLOUDEVENTS],
])("an event of an unknown %s is left to the notifiers of a later version", async (_what, unknown, format) => {
  await expect(attempt(toBinary(CertificateEventSchema, unknown), format)).rejects.toThrow(UnsupportedByVersion);
});
