import { describe, expect, onTestFinished, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { ClaimDecision, OutcomeKind, WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { systemClock } from "#shared/time/clock.ts";
import { inStore } from "../harness/in-store.ts";
import { openTestRegistry, type TestRegistry } from "../harness/registry-fixture.ts";
import { createStoreWithWebhook, createTestStore, testWebhookUrl } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const replica = await openTestRegistry({ database: registry.database });
const { admin, notifier } = registry;
const { deliveries } = registry.database.collections;

const { SEND, SKIPPED, SETTLED, IN_FLIGHT } = ClaimDecision;
const url = testWebhookUrl;

const storeWithWebhook = async (format = WebhookFormat.V2) =>
  (await createStoreWithWebhook(registry, { format })).storeId;

let events = 0;
const claimOf = (storeId: string, type = EventType.ISSUED) => ({
  eventId: `evt_test${++events}`,
  storeId,
  certificateId: "crt_test",
  type,
});
type Claim = ReturnType<typeof claimOf>;

async function decide(claims: readonly Claim[], by: Pick<TestRegistry, "notifier"> = registry) {
  const { results } = await by.notifier.claimDeliveries({ notifierId: "test", claims: [...claims] });
  expect(results.map(({ eventId }) => eventId)).toEqual(claims.map(({ eventId }) => eventId));
  return results.map(({ decision }) => decision);
}

const record = (eventId: string, kind: OutcomeKind, status = 200) => {
  const why = reason("delivered", { status });
  return notifier.recordOutcomes({ outcomes: [{ eventId, kind, httpStatus: 200, durationMs: 12, reason: why }] });
};

const outcomeOf = async ({ eventId }: Claim) => (await deliveries.findOne({ _id: eventId }))?.outcome;

const ageClaim = ({ eventId }: Claim, ageMs: number) =>
  deliveries.updateOne({ _id: eventId }, { $set: { claimedAt: new Date(Date.now() - ageMs) } });

test("grants an event to exactly one of 50 concurrent claims on two registries", async () => {
  const claim = claimOf(await storeWithWebhook());
  const calls = Array.from({ length: 50 }, (_, index) => decide([claim], index % 2 ? registry : replica));
  const decisions = (await Promise.all(calls)).flat();
  expect(decisions.filter((decision) => decision === SEND)).toHaveLength(1);
  expect(decisions.filter((decision) => decision === IN_FLIGHT)).toHaveLength(49);
});

test("grants exactly one claim for each event of overlapping concurrent batches", async () => {
  const storeId = await storeWithWebhook();
  const claims = Array.from({ length: 30 }, () => claimOf(storeId));
  const batches = await Promise.all([
    decide(claims.slice(0, 20)),
    decide(claims.slice(10), replica),
    decide(claims.toReversed()),
  ]);
  expect(batches.flat().filter((decision) => decision === SEND)).toHaveLength(30);
});

test("grants one claim when a call contains the same event twice", async () => {
  const claim = claimOf(await storeWithWebhook());
  expect(await decide([claim, claim])).toEqual([SEND, IN_FLIGHT]);
  expect(await decide([claim, claim])).toEqual([IN_FLIGHT, IN_FLIGHT]);
});

test("returns SETTLED for an event as soon as an outcome is recorded", async () => {
  const claim = claimOf(await storeWithWebhook());
  expect(await decide([claim])).toEqual([SEND]);
  expect(await decide([claim])).toEqual([IN_FLIGHT]);
  await record(claim.eventId, OutcomeKind.DELIVERED);
  expect(await decide([claim])).toEqual([SETTLED]);
  expect(await outcomeOf(claim)).toMatchObject({ kind: "delivered", httpStatus: 200, durationMs: 12 });
});

test("keeps the first outcome of an event", async () => {
  const claim = claimOf(await storeWithWebhook());
  await decide([claim]);
  await record(claim.eventId, OutcomeKind.REFUSED, 201);
  const first = await outcomeOf(claim);
  await record(claim.eventId, OutcomeKind.DELIVERED, 202);
  expect(await outcomeOf(claim)).toEqual(first);
  expect(first).toMatchObject({ kind: "refused", reason: reason("delivered", { status: 201 }) });
});

test("keeps exactly one of several concurrently recorded outcomes", async () => {
  const claim = claimOf(await storeWithWebhook());
  await decide([claim]);
  const kinds = [OutcomeKind.DELIVERED, OutcomeKind.REFUSED, OutcomeKind.TIMEOUT, OutcomeKind.DELIVERED];
  await Promise.all(kinds.map((kind) => record(claim.eventId, kind, kind)));
  const kept = await outcomeOf(claim);
  const names: Record<string, string> = { delivered: "1", refused: "2", timeout: "3" };
  expect(kept?.reason?.params.status).toBe(names[kept?.kind ?? ""]);
});

test("ignores an outcome of an unclaimed event", async () => {
  await record("evt_unknown", OutcomeKind.DELIVERED);
  expect(await deliveries.findOne({ _id: "evt_unknown" })).toBeNull();
});

describe("a claim without an outcome", () => {
  test("is in flight while it is less than a minute old", async () => {
    const claim = claimOf(await storeWithWebhook());
    await decide([claim]);
    await ageClaim(claim, 50_000);
    expect(await decide([claim])).toEqual([IN_FLIGHT]);
    expect(await outcomeOf(claim)).toBeNull();
  });

  test.each([600_000, -600_000])(
    "expires by the database's clock even if a registry's clock differs from it by %i ms",
    async (aheadMs) => {
      const clock = { ...systemClock, now: () => Date.now() + aheadMs };
      const options = { database: registry.database, overrides: { clock } };
      const other = await openTestRegistry(options, onTestFinished);
      const storeId = await storeWithWebhook();
      const [ours, theirs, old] = [claimOf(storeId), claimOf(storeId), claimOf(storeId)];
      await decide([ours, old]);
      await decide([theirs], other);
      await ageClaim(old, 60_001);
      expect(await decide([ours, theirs, old], other)).toEqual([IN_FLIGHT, IN_FLIGHT, SETTLED]);
      expect(await decide([ours, theirs, old])).toEqual([IN_FLIGHT, IN_FLIGHT, SETTLED]);
    },
  );

  test("is settled as interrupted after a minute, and ignores a late outcome", async () => {
    const claim = claimOf(await storeWithWebhook());
    await decide([claim]);
    await ageClaim(claim, 60_001);
    const decisions = await Promise.all([decide([claim]), decide([claim], replica)]);
    expect(decisions.flat()).toEqual([SETTLED, SETTLED]);
    const interrupted = await outcomeOf(claim);
    expect(interrupted).toMatchObject({ kind: "interrupted", httpStatus: 0, durationMs: 0 });
    await record(claim.eventId, OutcomeKind.DELIVERED);
    expect(await outcomeOf(claim)).toEqual(interrupted);
    expect(await decide([claim])).toEqual([SETTLED]);
  });
});

test("grants the other claims of a call when one claim names an unknown store", async () => {
  const stray = { ...claimOf("sto_none"), eventId: "evt_stray" };
  expect(await decide([stray])).toEqual([SKIPPED]);
  expect(await decide([stray, claimOf(await storeWithWebhook())])).toEqual([SETTLED, SEND]);
});

test("skips the events of a store without a webhook and records the reason", async () => {
  const claim = claimOf(await createTestStore(registry));
  expect(await decide([claim])).toEqual([SKIPPED]);
  expect(await outcomeOf(claim)).toMatchObject({
    kind: "skipped",
    reason: reason("no_webhook_url"),
  });
  expect(await decide([claim])).toEqual([SETTLED]);
});

test.each([
  [EventType.ISSUED, SEND],
  [EventType.VERIFIED, SEND],
  [EventType.TRANSFERRED, SEND],
  [EventType.REPORTED, SEND],
  [EventType.REVOKED, SKIPPED],
  [EventType.REACTIVATED, SKIPPED],
])("for event type %i, returns decision %i with format v1, and SEND with format v2", async (type, decision) => {
  const [v1, v2] = [await storeWithWebhook(WebhookFormat.V1), await storeWithWebhook()];
  const claim = claimOf(v1, type);
  expect(await decide([claim, claimOf(v2, type)])).toEqual([decision, SEND]);
  if (decision === SKIPPED) expect((await outcomeOf(claim))?.reason).toEqual(reason("event_not_in_format"));
});

test("returns the store's current URL, format and secret with each granted claim", async () => {
  const storeId = await storeWithWebhook(WebhookFormat.V1);
  const targetNow = async () => {
    const { results } = await notifier.claimDeliveries({ notifierId: "test", claims: [claimOf(storeId)] });
    const target = results[0]?.target;
    return target && { ...target, secret: Buffer.from(target.secret).toString() };
  };
  expect(await targetNow()).toMatchObject({ url, format: WebhookFormat.V1, secret: "" });

  const changed = { url: `${url}2`, format: WebhookFormat.V2 };
  const { secret } = await admin.setWebhook({ ...changed, createSecret: true }, inStore(storeId));
  expect(secret).toMatch(/^crs_/);
  expect(await targetNow()).toMatchObject({ ...changed, secret });

  // Without `createSecret`, the current secret remains.
  await admin.setWebhook({ url }, inStore(storeId));
  expect(await targetNow()).toMatchObject({ url, secret });

  await admin.setWebhook({ url: "" }, inStore(storeId));
  expect(await decide([claimOf(storeId)])).toEqual([SKIPPED]);
});

test.each([0, 501])("rejects %i claims or outcomes in one call and names the field", async (count) => {
  const claims = Array.from({ length: count }, () => claimOf("sto_none"));
  const outcomes = claims.map(({ eventId }) => ({ eventId, kind: OutcomeKind.DELIVERED }));
  await expect(notifier.claimDeliveries({ claims })).rejects.toThrow("claims must have 1 to 500 entries");
  await expect(notifier.recordOutcomes({ outcomes })).rejects.toThrow("outcomes must have 1 to 500 entries");
});
