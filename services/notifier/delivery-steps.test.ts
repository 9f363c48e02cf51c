import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { create } from "@bufbuild/protobuf";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { WebhookFormat, WebhookTargetSchema } from "#gen/registry/v1/notifier_service_pb.js";
import { createMetrics } from "#shared/http/operations-server.ts";
import { systemClock } from "#shared/time/clock.ts";
import { makeServerCertificate } from "../../deploy/local/certificates/self-signed.ts";
import { testEvent } from "./consumer/event-fixture.ts";
import { createHandleEvent } from "./consumer/handle-event.ts";
import { notifierMetrics } from "./consumer/notifier-metrics.ts";
import { deliveryStepChannel, deliverySteps } from "./delivery-steps.ts";
import { createDeliver } from "./webhook/deliver.ts";
import { loopbackGuard } from "./webhook/guard-fixture.ts";
import { startReceiverFixture } from "./webhook/receiver-fixture.ts";
import { createAddressResolver } from "./webhook/resolve-addresses.ts";
import { deliverySecureContext } from "./webhook/secure-context.ts";

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
  onTestFinished(() => receiver.stop());
  const url = `https://127.0.0.1:${receiver.port}/`;
  const deliver = createDeliver({
    secureContext: deliverySecureContext({ extraAuthoritiesPem: certificate.caPem }),
    guard: loopbackGuard,
    resolveAddresses: createAddressResolver(),
    ...{ lookUpTimeoutMs: 5_000, connectTimeoutMs: 5_000, tlsTimeoutMs: 5_000 },
    ...{ sendTimeoutMs: 5_000, replyTimeoutMs: 5_000 },
  });
  const handle = createHandleEvent({
    claim: async () => {
      log.push("claimed");
      return { decision: "send", target: create(WebhookTargetSchema, { url, format: WebhookFormat.V2 }) };
    },
    record: async () => void log.push("recorded"),
    metrics: notifierMetrics(createMetrics()),
    logger: pino({ level: "silent" }),
    clock: systemClock,
    deliver,
  });
  await handle(testEvent(), new AbortController().signal);
  expect(log.filter((step) => step !== "received" && step !== "after_body")).toEqual([
    ...["before_claim", "claimed", "after_claim", "connecting", "after_reply", "before_outcome", "recorded"],
  ]);
  // Sender and receiver share one process: either may log first.
  expect(log.slice(4, 6).sort()).toEqual(["after_body", "received"]);
  expect(log.filter((step) => deliverySteps.some((known) => known === step))).toEqual(deliverySteps);
});
