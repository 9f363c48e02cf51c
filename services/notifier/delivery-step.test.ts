import { create } from "@bufbuild/protobuf";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { WebhookFormat, WebhookTargetSchema } from "#gen/registry/v1/notifier_service_pb.js";
import { createMetrics } from "#shared/http/operations-server.ts";
import { systemClock } from "#shared/time/clock.ts";
import { makeServerCertificate } from "../../deploy/local/receiver/self-signed.ts";
import { testEvent } from "./consumer/event-fixture.ts";
import { createHandleEvent } from "./consumer/handle-event.ts";
import { notifierMetrics } from "./consumer/notifier-metrics.ts";
import { deliverySteps } from "./delivery-step.ts";
import { createDeliver } from "./webhook/deliver.ts";
import { loopbackGuard } from "./webhook/guard-fixture.ts";
import { startReceiverFixture } from "./webhook/receiver-fixture.ts";
import { createAddressResolver } from "./webhook/resolve-addresses.ts";
import { deliverySecureContext } from "./webhook/secure-context.ts";

test("each step of an event is told once, in order, each before what comes after it", async () => {
  const told: string[] = [];
  const onStep = (step: string) => void told.push(step);
  const certificate = await makeServerCertificate();
  const receiver = await startReceiverFixture(certificate, (socket) => {
    told.push("received");
    socket.end("HTTP/1.1 204 No Content\r\n\r\n");
  });
  onTestFinished(() => receiver.stop());
  const url = `https://127.0.0.1:${receiver.port}/`;
  const deliver = createDeliver({
    secureContext: deliverySecureContext({ extraAuthoritiesPem: certificate.caPem }),
    guard: loopbackGuard,
    resolveAddresses: createAddressResolver(),
    ...{ lookUpTimeoutMs: 5_000, connectTimeoutMs: 5_000, tlsTimeoutMs: 5_000 },
    ...{ sendTimeoutMs: 5_000, replyTimeoutMs: 5_000, onStep },
  });
  const handle = createHandleEvent({
    claim: async () => {
      told.push("claimed");
      return { decision: "send", target: create(WebhookTargetSchema, { url, format: WebhookFormat.V2 }) };
    },
    record: async () => void told.push("recorded"),
    metrics: notifierMetrics(createMetrics()),
    logger: pino({ level: "silent" }),
    clock: systemClock,
    ...{ deliver, onStep },
  });
  await handle(testEvent(), new AbortController().signal);
  expect(told.filter((step) => step !== "received" && step !== "after_body")).toEqual([
    ...["before_claim", "claimed", "after_claim", "connecting", "after_reply", "before_outcome", "recorded"],
  ]);
  // The sender and the receiver are on one machine: either may be told first.
  expect(told.slice(4, 6).sort()).toEqual(["after_body", "received"]);
  expect(told.filter((step) => deliverySteps.some((known) => known === step))).toEqual(deliverySteps);
});
