import { createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { ClaimDecision, NotifierService, OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
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

const answering = (results: { eventId: string; decision: ClaimDecision; target?: { url: string } }[]) =>
  deliveriesOver({ claimDeliveries: () => ({ results }) });

test("each claim gets its decision", async () => {
  const target = { url: "https://shop.example/hook" };
  const deliveries = answering([
    { eventId: "a", decision: ClaimDecision.SEND, target },
    { eventId: "b", decision: ClaimDecision.SKIPPED },
    { eventId: "c", decision: ClaimDecision.SETTLED },
    { eventId: "d", decision: ClaimDecision.IN_FLIGHT },
    { eventId: "e", decision: ClaimDecision.LATER },
  ]);
  expect(await deliveries.claim(["a", "b", "c", "d", "e"].map(request))).toMatchObject([
    { decision: "send", target },
    { decision: "skipped" },
    { decision: "settled" },
    { decision: "in_flight" },
    { decision: "later" },
  ]);
});

test.each([
  ["answers too few", []],
  [
    "answers in another order",
    [{ eventId: "b", decision: ClaimDecision.SEND, target: { url: "https://b" } }],
  ],
  ["says send without a target", [{ eventId: "a", decision: ClaimDecision.SEND }]],
  ["says nothing", [{ eventId: "a", decision: ClaimDecision.UNSPECIFIED }]],
  ["says something new", [{ eventId: "a", decision: 77 as ClaimDecision }]],
])("a registry that %s has given no permission to send", async (_name, results) => {
  await expect(answering(results).claim([request("a")])).rejects.toThrow();
});

test("claims name the notifier, outcomes carry what the registry keeps", async () => {
  const seen: unknown[] = [];
  const deliveries = deliveriesOver({
    claimDeliveries: ({ notifierId, claims }) => {
      seen.push({ notifierId, ids: claims.map(({ eventId }) => eventId) });
      return { results: [{ eventId: "a", decision: ClaimDecision.SKIPPED }] };
    },
    recordOutcomes: ({ outcomes }) => {
      seen.push(...outcomes);
      return {};
    },
  });
  await deliveries.claim([request("a")]);
  const report = { eventId: "a", kind: OutcomeKind.REFUSED, httpStatus: 500, durationMs: 12, reason: "No." };
  await deliveries.record([report]);
  expect(seen).toMatchObject([{ notifierId: "notifier-1", ids: ["a"] }, report]);
});
