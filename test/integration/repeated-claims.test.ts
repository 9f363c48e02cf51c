import { setTimeout as delay } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, onTestFinished, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { ClaimDecision, OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { eventually } from "../harness/eventually.ts";
import { freezeProcess } from "../harness/freeze-process.ts";
import { metricValues } from "../harness/metric-values.ts";
import { openTestRegistry, type TestRegistry } from "../harness/registry-fixture.ts";
import { startStackDatabase } from "../harness/stack/start-servers.ts";
import { Supervisor } from "../harness/supervisor/supervisor.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { createStoreWithWebhook } from "../harness/test-stores.ts";
import { whenAvailable } from "../harness/when-available.ts";

const registry = await openTestRegistry();
const replica = await openTestRegistry({ database: registry.database });
const { deliveries } = registry.database.collections;
const { storeId } = await createStoreWithWebhook(registry, {});

const { SEND, SETTLED, IN_FLIGHT } = ClaimDecision;

let events = 0;
const newEvent = () => ({
  eventId: `evt_repeated${++events}`,
  storeId,
  certificateId: "crt_test",
  type: EventType.ISSUED,
});
type Event = ReturnType<typeof newEvent>;

/** Claims an event once per attempt token, in one call. @returns the decision on each claim */
async function claimAs(
  event: Event,
  tokens: readonly string[],
  { notifier }: Pick<TestRegistry, "notifier"> = registry,
) {
  const claims = tokens.map((attemptToken) => ({ ...event, attemptToken }));
  const { results } = await notifier.claimDeliveries({ notifierId: "test", claims });
  return results.map(({ decision }) => decision);
}

const storedClaim = ({ eventId }: Event) => deliveries.findOne({ _id: eventId });
const ageClaim = ({ eventId }: Event, ageMs: number) =>
  deliveries.updateOne({ _id: eventId }, { $set: { claimedAt: new Date(Date.now() - ageMs) } });

test("grants a claim again to the attempt that stored it, on any registry, and to no other attempt", async () => {
  const event = newEvent();
  expect(await claimAs(event, ["attempt-1"])).toEqual([SEND]);
  expect(await claimAs(event, ["attempt-2"])).toEqual([IN_FLIGHT]);
  expect(await claimAs(event, [""])).toEqual([IN_FLIGHT]);
  expect(await claimAs(event, ["attempt-1"], replica)).toEqual([SEND]);
});

test("does not grant a claim again if the claims have no attempt token", async () => {
  const event = newEvent();
  expect(await claimAs(event, [""])).toEqual([SEND]);
  expect(await claimAs(event, [""])).toEqual([IN_FLIGHT]);
});

test("grants only one claim when a call claims the same event twice", async () => {
  const event = newEvent();
  expect(await claimAs(event, ["attempt-1", "attempt-2"])).toEqual([SEND, IN_FLIGHT]);
  expect(await claimAs(event, ["attempt-2", "attempt-1"])).toEqual([IN_FLIGHT, IN_FLIGHT]);
  expect(await claimAs(event, ["attempt-1", "attempt-1"])).toEqual([SEND, IN_FLIGHT]);
});

test("grants the claim to only one of many concurrent attempts that all repeat their calls", async () => {
  const event = newEvent();
  const attempts = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const call = (by: TestRegistry) => whenAvailable(() => claimAs(event, [`attempt-${index}`], by));
      const calls = [registry, replica, registry].map(call);
      return (await Promise.all(calls)).flat();
    }),
  );
  expect(attempts.filter((decisions) => decisions.includes(SEND))).toHaveLength(1);
});

test("returns the time within which the attempt must send the message", async () => {
  const claims = [{ ...newEvent(), attemptToken: "attempt-1" }];
  const { results } = await registry.notifier.claimDeliveries({ notifierId: "test", claims });
  expect(results[0]?.sendWithinMs).toBe(30_000);
});

test("renews an old claim that its attempt repeats, so that another attempt does not settle it as interrupted", async () => {
  const event = newEvent();
  await claimAs(event, ["attempt-1"]);
  await ageClaim(event, 600_000);
  expect(await claimAs(event, ["attempt-1"])).toEqual([SEND]);
  expect(await claimAs(event, ["attempt-2"])).toEqual([IN_FLIGHT]);
  const claim = await storedClaim(event);
  expect(claim?.outcome).toBeNull();
  const now = await registry.database.now();
  expect(now.getTime() - (claim?.claimedAt.getTime() ?? 0)).toBeLessThan(60_000);
});

test.each(["delivered", "interrupted"])("does not renew a claim whose outcome is %s", async (kind) => {
  const event = newEvent();
  const { eventId } = event;
  await claimAs(event, ["attempt-1"]);
  await ageClaim(event, 600_000);
  if (kind === "interrupted") expect(await claimAs(event, ["attempt-2"])).toEqual([SETTLED]);
  else await registry.notifier.recordOutcomes({ outcomes: [{ eventId, kind: OutcomeKind.DELIVERED }] });
  expect(await claimAs(event, ["attempt-1"])).toEqual([SETTLED]);
  expect((await storedClaim(event))?.outcome).toMatchObject({ kind });
});

test("rejects an attempt token of more than 64 characters", async () => {
  await expect(claimAs(newEvent(), ["x".repeat(65)])).rejects.toThrow("claims.attempt_token");
});

test("stores no claim for a caller whose deadline passes while the database stalls", async () => {
  const supervisor = await Supervisor.open({ name: "stalled-claims" });
  onTestFinished(() => supervisor.close());
  const server = await startStackDatabase(supervisor, false);
  const database = await openTestDatabase(onTestFinished, server.url);
  const stalled = await openTestRegistry({ database }, onTestFinished);
  const { storeId } = await createStoreWithWebhook(stalled, {});
  const claims = [{ ...newEvent(), storeId, attemptToken: "attempt-1" }];
  const endedCalls = async () => {
    const counts = await metricValues(stalled.operationsUrl, "registry_grpc_call_duration_seconds_count");
    return Object.entries(counts).filter(([labels]) => labels.includes("ClaimDeliveries")).length;
  };
  {
    using _frozen = await freezeProcess(server.process.pid);
    const call = stalled.notifier.claimDeliveries({ notifierId: "test", claims }, { timeoutMs: 500 });
    const error: unknown = await call.catch((reason: unknown) => reason);
    expect(ConnectError.from(error).code).toBe(Code.DeadlineExceeded);
    // The registry's time limit starts when the call arrives, so it ends after the client's, on a busy machine later.
    await delay(10_000);
  }
  await eventually(async () => expect(await endedCalls()).toBe(1));
  expect(await database.collections.deliveries.countDocuments()).toBe(0);
});

test("a claim from before a set-back of the database's clock is interrupted within the life of a claim", async () => {
  const event = newEvent();
  expect(await claimAs(event, ["attempt-1"])).toEqual([SEND]);
  await ageClaim(event, -86_400_000);
  expect(await claimAs(event, ["attempt-2"])).toEqual([IN_FLIGHT]);
  const claimedAt = (await storedClaim(event))?.claimedAt ?? new Date(0);
  expect(claimedAt.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
  await deliveries.updateOne({ _id: event.eventId }, { $set: { claimedAt: new Date(claimedAt.getTime() - 60_000) } });
  expect(await claimAs(event, ["attempt-2"])).toEqual([SETTLED]);
});
