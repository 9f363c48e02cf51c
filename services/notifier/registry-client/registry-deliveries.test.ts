import { createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { ClaimDecision, NotifierService, OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { registryDeliveries } from "./registry-deliveries.ts";

const request = (eventId: string) => ({
  eventId,
  storeId: "store-1",
  certificateId: "certificate-1",
  type: EventType.ISSUED,
});

function deliveriesOver(service: Partial<ServiceImpl<typeof NotifierService>>) {
  return registryDeliveries(
    createRouterTransport(({ service: mount }) => void mount(NotifierService, service)),
    "notifier-1",
  );
}

interface Result {
  readonly eventId: string;
  readonly decision: ClaimDecision;
  readonly target?: { readonly url: string };
  readonly sendWithinMs?: number;
}

const answering = (results: Result[]) => deliveriesOver({ claimDeliveries: () => ({ results }) });

test("returns the decision for each claim, in order", async () => {
  const target = { url: "https://shop.example/hook" };
  const deliveries = answering([
    { eventId: "a", decision: ClaimDecision.SEND, target, sendWithinMs: 12_000 },
    { eventId: "b", decision: ClaimDecision.SKIPPED },
    { eventId: "c", decision: ClaimDecision.SETTLED },
    { eventId: "d", decision: ClaimDecision.IN_FLIGHT },
    { eventId: "e", decision: ClaimDecision.LATER },
  ]);
  expect(await deliveries.claim(["a", "b", "c", "d", "e"].map(request))).toMatchObject([
    { decision: "send", target, sendWithinMs: 12_000 },
    { decision: "skipped" },
    { decision: "settled" },
    { decision: "in_flight" },
    { decision: "later" },
  ]);
});

test.each([
  ["returns too few results", []],
  ["returns another event's result", [{ eventId: "b", decision: ClaimDecision.SEND, target: { url: "https://b" } }]],
  ["returns send without a target", [{ eventId: "a", decision: ClaimDecision.SEND, sendWithinMs: 1 }]],
  ["returns send without a limit", [{ eventId: "a", decision: ClaimDecision.SEND, target: { url: "https://a" } }]],
  ["returns no decision", [{ eventId: "a", decision: ClaimDecision.UNSPECIFIED }]],
  ["returns an unknown decision", [{ eventId: "a", decision: 77 as ClaimDecision }]],
])("rejects the claim if the registry %s", async (_name, results) => {
  await expect(answering(results).claim([request("a")])).rejects.toThrow();
});

test("sends claims with the notifier's id, and outcomes with the names of their kinds", async () => {
  const received: unknown[] = [];
  const deliveries = deliveriesOver({
    claimDeliveries: ({ notifierId, claims }) => {
      received.push({ notifierId, ids: claims.map(({ eventId }) => eventId) });
      return { results: [{ eventId: "a", decision: ClaimDecision.SKIPPED }] };
    },
    recordOutcomes: ({ outcomes }) => {
      received.push(...outcomes);
      return {};
    },
  });
  await deliveries.claim([request("a")]);
  const report = {
    eventId: "a",
    kind: OutcomeKind.REFUSED,
    httpStatus: 500,
    durationMs: 12,
    reason: reason("status_not_success", { status: 500 }),
  };
  await deliveries.record([report]);
  expect(received).toMatchObject([
    { notifierId: "notifier-1", ids: ["a"] },
    { ...report, kindName: "refused" },
  ]);
});
