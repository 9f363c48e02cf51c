import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind, WebhookFormat, WebhookTargetSchema } from "#gen/registry/v1/notifier_service_pb.js";
import { createMetrics } from "#shared/http/operations-server.ts";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { reason } from "#shared/reasons/reason.ts";
import { PassingClock } from "#shared/time/passing-clock-fixture.ts";
import { testEvent } from "../event-fixture.ts";
import type { ClaimAnswer, ClaimRequest, OutcomeReport } from "../registry-client/registry-deliveries.ts";
import type { Delivery } from "../webhook/deliver.ts";
import type { Attempt } from "../webhook/send-message.ts";
import { createHandleEvent } from "./handle-event.ts";
import { notifierMetrics } from "./notifier-metrics.ts";

const secret = Buffer.from("whsec_hidden");
const url = "https://shop.example/hook?token=hidden";
const target = create(WebhookTargetSchema, { url, format: WebhookFormat.V2, secret });
const send: ClaimAnswer = { decision: "send", target, sendWithinMs: 30_000 };
const delivered: Attempt = {
  kind: OutcomeKind.DELIVERED,
  httpStatus: 204,
  durationMs: 7,
  reason: reason("delivered", { status: 204 }),
  phases: { resolveMs: 1, replyMs: 6 },
  remoteAddress: "203.0.113.9",
  replyExcerpt: "The reply.",
};
const unavailable = new ConnectError("unavailable", Code.Unavailable);
const never = new AbortController().signal;

/** Creates a handler with a stub `claim`. `record` throws each of `recordFailures` once, then succeeds. */
function handlerWith(claim: (request: ClaimRequest) => Promise<ClaimAnswer>, recordFailures: Error[] = []) {
  const deliveries: Delivery[] = [];
  const recorded: OutcomeReport[] = [];
  const { logger, lines } = captureLog();
  const clock = new PassingClock();
  const metrics = createMetrics();
  const handle = createHandleEvent({
    claim,
    record: async (report) => {
      const failure = recordFailures.shift();
      if (failure !== undefined) throw failure;
      recorded.push(report);
    },
    deliver: async (delivery) => {
      deliveries.push(delivery);
      return delivered;
    },
    metrics: notifierMetrics(metrics),
    logger,
    clock,
    steadyClock: clock,
  });
  return { handle, deliveries, recorded, lines, slept: clock.slept, metrics, clock };
}

test.each([
  ["calls onSend after the claim has returned send", send, 1],
  ["does not call onSend for a skipped event", { decision: "skipped" } as const, 0],
])("%s", async (_name, answer, expected) => {
  const claim = Promise.withResolvers<ClaimAnswer>();
  const { handle } = handlerWith(() => claim.promise);
  let calls = 0;
  const handling = handle(testEvent(), never, () => void calls++);
  await new Promise(setImmediate);
  expect(calls).toBe(0);
  claim.resolve(answer);
  await handling;
  expect(calls).toBe(expected);
});

test("sends, records and acknowledges an event once", async () => {
  const { handle, deliveries, recorded } = handlerWith(async () => send);
  expect(await handle(testEvent(), never)).toEqual({ kind: "ack", deliveryMs: 7 });
  expect(deliveries).toHaveLength(1);
  expect(deliveries[0]).toMatchObject({ eventId: "event-1", url });
  expect(JSON.parse(String(deliveries[0]?.body))).toMatchObject({ version: 2, event: "issued" });
  expect(recorded).toEqual([{ eventId: "event-1", ...delivered }]);
});

test.each([
  ["the event's queuedAt", { queuedAt: timestampFromDate(new Date(7)) }, 7],
  ["the event's occurredAt if the event has no queuedAt", {}, Date.parse("2026-07-01T08:09:10.020Z")],
])("sets queuedAt of the claim to %s", async (_name, more, queuedMs) => {
  const claimed: ClaimRequest[] = [];
  const { handle } = handlerWith(async (request) => {
    claimed.push(request);
    return { decision: "settled" };
  });
  await handle(testEvent(more), never);
  expect(claimed).toMatchObject([{ eventId: "event-1", queuedAt: timestampFromDate(new Date(queuedMs)) }]);
});

test.each([
  ["skipped", { kind: "ack", isSkipped: true }],
  ["settled", { kind: "ack" }],
] as const)("acknowledges an event without a POST if the claim returns %s", async (decision, disposition) => {
  const { handle, deliveries, recorded } = handlerWith(async () => ({ decision }));
  expect(await handle(testEvent(), never)).toEqual(disposition);
  expect(deliveries).toEqual([]);
  expect(recorded).toEqual([]);
});

test.each([
  ["after five seconds if the claim returns in_flight", { decision: "in_flight" }, "in_flight", 5_000],
  ["after 15 seconds if the store's secret cannot be read", { decision: "later" }, "secret_unreadable", 15_000],
  ["after two seconds if the claim gets no answer", unavailable, "registry_unavailable", 2_000],
] as const)("requests redelivery, without a POST, %s", async (_name, answer, cause, delayMs) => {
  const { handle, deliveries, recorded } = handlerWith(async () => {
    if (answer instanceof Error) throw answer;
    return answer;
  });
  expect(await handle(testEvent(), never)).toEqual({ kind: "nak", cause, delayMs });
  expect(deliveries).toEqual([]);
  expect(recorded).toEqual([]);
});

test("permits the POST only within the claim's time limit, measured from the start of the claim call", async () => {
  const rig = handlerWith(async () => {
    await rig.clock.sleep(20_000);
    return send;
  });
  await rig.handle(testEvent(), never);
  const mayBegin = rig.deliveries[0]?.mayBegin;
  expect(mayBegin?.()).toBe(true);
  await rig.clock.sleep(9_999);
  expect(mayBegin?.()).toBe(true);
  await rig.clock.sleep(1);
  expect(mayBegin?.()).toBe(false);
});

test("retries recording with exponential backoff until it succeeds, without a second POST", async () => {
  const failures = Array.from({ length: 12 }, () => unavailable);
  const { handle, deliveries, recorded, slept } = handlerWith(async () => send, failures);
  expect(await handle(testEvent(), never)).toEqual({ kind: "ack", deliveryMs: 7 });
  expect(deliveries).toHaveLength(1);
  expect(recorded).toHaveLength(1);
  expect(slept).toHaveLength(12);
  expect(slept[0]).toBeLessThanOrEqual(250);
  expect(slept[11]).toBeGreaterThan(3_000);
  expect(Math.max(...slept)).toBeLessThanOrEqual(5_000);
});

test("returns nak with the cause unrecorded if recording is interrupted or cannot succeed", async () => {
  const failing = handlerWith(async () => send, [unavailable]);
  expect(await failing.handle(testEvent(), AbortSignal.abort())).toMatchObject({
    kind: "nak",
    cause: "unrecorded",
  });
  const rejected = handlerWith(async () => send, [new ConnectError("no", Code.InvalidArgument)]);
  expect(await rejected.handle(testEvent(), never)).toMatchObject({ cause: "unrecorded" });
  expect(rejected.deliveries).toHaveLength(1);
});

test("records the outcome skipped if the webhook format does not include the event, even if the claim returns send", async () => {
  const answer: ClaimAnswer = { ...send, target: { ...target, format: WebhookFormat.V1 } };
  const { handle, deliveries, recorded } = handlerWith(async () => answer);
  const disposition = { kind: "ack", isSkipped: true };
  expect(await handle(testEvent({ type: EventType.REVOKED }), never)).toEqual(disposition);
  expect(deliveries).toEqual([]);
  expect(recorded).toMatchObject([{ kind: OutcomeKind.SKIPPED, httpStatus: 0 }]);
});

test("logs each attempt in one line without the secret, the URL or the reply, and counts the attempt", async () => {
  const { handle, lines, metrics } = handlerWith(async () => send);
  await handle(testEvent(), never);
  expect(lines).toEqual([
    {
      level: 30,
      eventId: "event-1",
      storeId: "store-1",
      certificateId: "certificate-1",
      event: "issued",
      outcome: "delivered",
      httpStatus: 204,
      durationMs: 7,
      phases: { resolveMs: 1, replyMs: 6 },
      remoteAddress: "203.0.113.9",
      reason: "delivered",
      secret: "configured",
      msg: "webhook attempt",
    },
  ]);
  const text = await metrics.metrics();
  expect(text).toContain('webhook_attempts_total{outcome="delivered"} 1');
  expect(text).toContain("webhook_attempts_in_flight 0");
  expect(text).toContain("webhook_attempt_duration_seconds_count 1");
});
