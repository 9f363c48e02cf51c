import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { create } from "@bufbuild/protobuf";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { WebhookFormat, WebhookTargetSchema } from "#gen/registry/v1/notifier_service_pb.js";
import { createMetrics } from "#shared/http/operations-server.ts";
import { reason } from "#shared/reasons/reason.ts";
import { steadyClock, systemClock } from "#shared/time/clock.ts";
import { makeServerCertificate } from "../../deploy/local/certificates/self-signed.ts";
import { createHandleEvent } from "./consumer/handle-event.ts";
import { notifierMetrics } from "./consumer/notifier-metrics.ts";
import { deliveryStepChannel, deliverySteps } from "./delivery-steps.ts";
import { testEvent } from "./event-fixture.ts";
import { deliverTrusting, stopAfterTest } from "./webhook/deliver-fixture.ts";
import { startReceiverFixture } from "./webhook/receiver-fixture.ts";

test("publishes each step of a delivery once, in order, before the delivery continues", async () => {
  const log: string[] = [];
  for (const step of deliverySteps) {
    const onStep = () => void log.push(step);
    subscribe(deliveryStepChannel(step), onStep);
    onTestFinished(() => void unsubscribe(deliveryStepChannel(step), onStep));
  }
  const certificate = await makeServerCertificate();
  const receiver = await startReceiverFixture(certificate, (socket) => {
    log.push("received");
    socket.end("HTTP/1.1 204 No Content\r\n\r\n");
  });
  stopAfterTest(receiver);
  const url = `https://127.0.0.1:${receiver.port}/`;
  const deliver = deliverTrusting(certificate.caPem);
  const handle = createHandleEvent({
    claim: async () => {
      log.push("claimed");
      const target = create(WebhookTargetSchema, { url, format: WebhookFormat.V2 });
      return { decision: "send", target, sendWithinMs: 30_000 };
    },
    record: async () => void log.push("recorded"),
    metrics: notifierMetrics(createMetrics()),
    logger: pino({ level: "silent" }),
    clock: systemClock,
    steadyClock,
    deliver: async (delivery, signal) => {
      const attempt = await deliver(delivery.url, delivery, signal);
      return { ...attempt, reason: reason("delivered", { status: attempt.httpStatus }) };
    },
  });
  await handle(testEvent(), new AbortController().signal);
  expect(log.filter((step) => step !== "received" && step !== "after_body")).toEqual([
    ...["before_claim", "claimed", "after_claim", "connecting", "after_reply", "before_outcome", "recorded"],
  ]);
  // Sender and receiver share one process, so either may log first.
  expect(log.slice(4, 6).sort()).toEqual(["after_body", "received"]);
  expect(log.filter((step) => deliverySteps.some((known) => known === step))).toEqual(deliverySteps);
});
