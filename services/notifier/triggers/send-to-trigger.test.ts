import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { TriggerLeaseSchema } from "#gen/registry/v1/trigger_delivery_service_pb.js";
import { TriggerFormat } from "#gen/registry/v1/trigger_service_pb.js";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { reason } from "#shared/reasons/reason.ts";
import { systemClock } from "#shared/time/clock.ts";
import { type Attempt, type Send, skippedAttempt } from "../webhook/send-message.ts";
import { sendToTrigger } from "./send-to-trigger.ts";
import { UnsupportedByVersion } from "./trigger-message.ts";
import { triggerMetrics } from "./trigger-metrics.ts";

const { logger, lines } = captureLog();
const event = create(CertificateEventSchema, {
  id: "evt_1",
  type: EventType.ISSUED,
  shop: "shop.example",
  certificateId: "crt_1",
  occurredAt: timestampFromMs(0),
});

/** Attempts to send an event with `send`, which by default fails the test. */
function attempt(bytes: Uint8Array, format: TriggerFormat, send: Send = () => Promise.reject(new Error("sent"))) {
  const deps = { send, metrics: triggerMetrics(new Registry()), clock: systemClock, logger };
  const fields = { attempt: 3, triggerId: "trg_1", url: "https://receiver.example/" };
  const lease = create(TriggerLeaseSchema, { event: bytes, format, ...fields });
  return sendToTrigger(deps, lease, () => true, new AbortController().signal);
}

test.each([
  ["the failure's", OutcomeKind.TIMEOUT, "no_reply_in_time"],
  // The event is sent again, which the reasons of a webhook's interrupted attempt deny.
  ["that of a trigger, if the attempt is interrupted,", OutcomeKind.INTERRUPTED, "attempt_interrupted"],
])("the outcome and the log line of a failed attempt have the same reason: %s", async (_which, kind, code) => {
  lines.length = 0;
  const failed: Attempt = { ...skippedAttempt(reason("no_reply_in_time", { seconds: 8 })), kind };
  const complete = { ...event, storeId: "sto_1", certificateJson: Buffer.from("{}") };
  const made = await attempt(toBinary(CertificateEventSchema, complete), TriggerFormat.CLOUDEVENTS, async () => failed);
  expect([made.kind, made.reason.code]).toEqual([kind, code]);
  expect(lines).toEqual([
    expect.objectContaining({
      msg: "trigger attempt",
      eventId: "evt_1",
      storeId: "sto_1",
      certificateId: "crt_1",
      event: "issued",
      triggerId: "trg_1",
      attempt: 3,
      outcome: OutcomeKind[kind].toLowerCase(),
      reason: code,
    }),
  ]);
});

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
