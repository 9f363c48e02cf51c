import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { pino } from "pino";
import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind, WebhookFormat, WebhookTargetSchema } from "#gen/registry/v1/notifier_service_pb.js";
import { createMetrics } from "#shared/http/operations-server.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { ClaimAnswer, ClaimRequest, OutcomeReport } from "../registry-client/registry-deliveries.ts";
import type { Attempt, Delivery } from "../webhook/deliver.ts";
import { testEvent } from "./event-fixture.ts";
import { createHandleEvent } from "./handle-event.ts";
import { notifierMetrics } from "./notifier-metrics.ts";

const secret = Buffer.from("whsec_hidden");
const url = "https://shop.example/hook?token=hidden";
const target = create(WebhookTargetSchema, { url, format: WebhookFormat.V2, secret });
const send: ClaimAnswer = { decision: "send", target };
const delivered: Attempt = {
  kind: OutcomeKind.DELIVERED,
  httpStatus: 204,
  durationMs: 7,
  reason: "Fine.",
  phases: { resolveMs: 1, replyMs: 6 },
  remoteAddress: "203.0.113.9",
  replyExcerpt: "What the receiver said.",
};
const away = new ConnectError("away", Code.Unavailable);
const never = new AbortController().signal;

/** A handler whose surroundings are the test's: how the claim is answered, and how often recording fails. */
function handlerWith(claim: (request: ClaimRequest) => Promise<ClaimAnswer>, recordFailures: Error[] = []) {
  const deliveries: Delivery[] = [];
  const recorded: OutcomeReport[] = [];
  const lines: string[] = [];
  const slept: number[] = [];
  const sleep = async (ms: number) => void slept.push(ms);
  const clock: Clock = { now: () => 0, sleep };
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
    logger: pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) }),
    clock,
  });
  return { handle, deliveries, recorded, lines, slept, metrics };
}

test.each([
  ["that is to be sent", send, 1],
  ["that is not", { decision: "skipped" } as const, 0],
])("of an event %s it is told when the sending begins: after the claim", async (_name, answer, expected) => {
  const claim = Promise.withResolvers<ClaimAnswer>();
  const { handle } = handlerWith(() => claim.promise);
  let told = 0;
  const handling = handle(testEvent(), never, () => void told++);
  await new Promise(setImmediate);
  expect(told).toBe(0);
  claim.resolve(answer);
  await handling;
  expect(told).toBe(expected);
});

test("an event that is to be sent is sent once, recorded and settled", async () => {
  const { handle, deliveries, recorded } = handlerWith(async () => send);
  expect(await handle(testEvent(), never)).toEqual({ kind: "settled", deliveryMs: 7 });
  expect(deliveries).toHaveLength(1);
  expect(deliveries[0]).toMatchObject({ eventId: "event-1", url });
  expect(JSON.parse(String(deliveries[0]?.body))).toMatchObject({ version: 2, event: "issued" });
  expect(recorded).toEqual([{ eventId: "event-1", ...delivered }]);
});

test.each([
  ["when it was queued", { queuedAt: timestampFromDate(new Date(7)) }, 7],
  ["when it occurred, where the first version queued it", {}, Date.parse("2026-07-01T08:09:10.020Z")],
])("a claim tells %s", async (_name, more, queuedMs) => {
  const claimed: ClaimRequest[] = [];
  const { handle } = handlerWith(async (request) => {
    claimed.push(request);
    return { decision: "settled" };
  });
  await handle(testEvent(more), never);
  expect(claimed).toMatchObject([{ eventId: "event-1", queuedAt: timestampFromDate(new Date(queuedMs)) }]);
});

test.each([
  ["skipped", { kind: "settled", deliveryMs: 0 }],
  ["settled", { kind: "settled" }],
] as const)("an event that is %s is settled without a POST", async (decision, disposition) => {
  const { handle, deliveries, recorded } = handlerWith(async () => ({ decision }));
  expect(await handle(testEvent(), never)).toEqual(disposition);
  expect(deliveries).toEqual([]);
  expect(recorded).toEqual([]);
});

test("an event that is in flight elsewhere comes again in five seconds, without a POST", async () => {
  const { handle, deliveries } = handlerWith(async () => ({ decision: "in_flight" }));
  expect(await handle(testEvent(), never)).toEqual({ kind: "nak", cause: "in_flight", delayMs: 5_000 });
  expect(deliveries).toEqual([]);
});

test("an event whose store's secret cannot be read waits, and is not sent unsigned", async () => {
  const { handle, deliveries, recorded } = handlerWith(async () => ({ decision: "later" }));
  const disposition = { kind: "nak", cause: "secret_unreadable", delayMs: 15_000 };
  expect(await handle(testEvent(), never)).toEqual(disposition);
  expect(deliveries).toEqual([]);
  expect(recorded).toEqual([]);
});

test.each([
  ["cannot be reached", away],
  [
    "does not answer in time, so that the claim may be stored",
    new ConnectError("late", Code.DeadlineExceeded),
  ],
  ["answers something else", new Error("the registry's answers do not fit the claims")],
])("a registry that %s never leads to a POST", async (_name, failure) => {
  const { handle, deliveries, recorded } = handlerWith(() => Promise.reject(failure));
  expect(await handle(testEvent(), never)).toMatchObject({ kind: "nak", cause: "registry_away" });
  expect(deliveries).toEqual([]);
  expect(recorded).toEqual([]);
});

test("an outcome is recorded again until it is stored, with growing pauses, and the POST is not repeated", async () => {
  const failures = Array.from({ length: 12 }, () => away);
  const { handle, deliveries, recorded, slept } = handlerWith(async () => send, failures);
  expect(await handle(testEvent(), never)).toEqual({ kind: "settled", deliveryMs: 7 });
  expect(deliveries).toHaveLength(1);
  expect(recorded).toHaveLength(1);
  expect(slept).toHaveLength(12);
  expect(slept[0]).toBeLessThanOrEqual(250);
  expect(slept[11]).toBeGreaterThan(3_000);
  expect(Math.max(...slept)).toBeLessThanOrEqual(5_000);
});

test("an outcome that cannot be recorded before the end is left to the registry to settle", async () => {
  const cut = new AbortController();
  cut.abort();
  const failing = handlerWith(async () => send, [away]);
  expect(await failing.handle(testEvent(), cut.signal)).toMatchObject({
    kind: "nak",
    cause: "unrecorded",
  });
  const refused = handlerWith(async () => send, [new ConnectError("no", Code.InvalidArgument)]);
  expect(await refused.handle(testEvent(), never)).toMatchObject({ cause: "unrecorded" });
  expect(refused.deliveries).toHaveLength(1);
});

test("an event that the format does not have is recorded as skipped, though the registry said send", async () => {
  const answer: ClaimAnswer = { decision: "send", target: { ...target, format: WebhookFormat.V1 } };
  const { handle, deliveries, recorded } = handlerWith(async () => answer);
  const disposition = { kind: "settled", deliveryMs: 0 };
  expect(await handle(testEvent({ type: EventType.REVOKED }), never)).toEqual(disposition);
  expect(deliveries).toEqual([]);
  expect(recorded).toMatchObject([{ kind: OutcomeKind.SKIPPED, httpStatus: 0 }]);
});

test("an attempt is one line without secret, URL, query or what the receiver said, and is counted", async () => {
  const { handle, lines, metrics } = handlerWith(async () => send);
  await handle(testEvent(), never);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    level: 30,
    eventId: "event-1",
    store: "store-1",
    certificate: "certificate-1",
    event: "issued",
    outcome: "delivered",
    httpStatus: 204,
    durationMs: 7,
    phases: { resolveMs: 1, replyMs: 6 },
    remoteAddress: "203.0.113.9",
    reason: "Fine.",
    secret: "configured",
    msg: "webhook attempt",
  });
  const text = await metrics.metrics();
  expect(text).toContain('webhook_attempts_total{outcome="delivered"} 1');
  expect(text).toContain("webhook_attempts_in_flight 0");
  expect(text).toContain("webhook_attempt_duration_seconds_count 1");
});
