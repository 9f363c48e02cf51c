import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { Registry } from "prom-client";
import { expect, onTestFinished, test } from "vitest";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import { steadyClock, systemClock } from "#shared/time/clock.ts";
import { standardSigningKey } from "#shared/webhook/standard-signature.ts";
import { observeClockSkew } from "../../services/notifier/registry-client/observe-clock-skew.ts";
import { triggerDeliveries } from "../../services/notifier/registry-client/trigger-deliveries.ts";
import { reportsPerDayMax } from "../../services/registry/certificates/report-limit.ts";
import { inStore } from "../harness/in-store.ts";
import { issueOne } from "../harness/issue-items.ts";
import { linkTokenOf } from "../harness/link-token-of.ts";
import { openTestRegistry, startTestRegistry } from "../harness/registry-fixture.ts";
import { signInLink } from "../harness/settings-session.ts";
import { createKeyedStore, createTestApiKey, createTestStore, testWebhookUrl } from "../harness/test-stores.ts";
import { issue } from "./notifier-rig.ts";
import { createStoreWithTrigger } from "./trigger-rig.ts";

// Replicas of one database: what one of them stores, the others compare with their time.
const twoDaysMs = 2 * 86_400_000;
const registry = await openTestRegistry();
const { lines, onLogLine } = captureLog();
const replicaAt = (offsetMs: number) => {
  const clock = { ...systemClock, now: () => systemClock.now() + offsetMs };
  return openTestRegistry({ database: registry.database, overrides: { clock }, onLogLine });
};
const late = await replicaAt(-twoDaysMs);
const early = await replicaAt(twoDaysMs);

test.each([0, 600_000, -600_000])(
  "a notifier whose clock is %i ms ahead of the database's reports it, whatever the clocks of the registries",
  async (aheadMs) => {
    const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    for (const { address } of [registry, early, late]) {
      const metrics = new Registry();
      const transport = createGrpcClient({ address });
      onTestFinished(() => transport.close());
      const claims = triggerDeliveries(transport, "test", steadyClock, observeClockSkew(metrics, clock));
      await claims.claim(1);
      const reported = await metrics.getSingleMetric("notifier_clock_skew_seconds")?.get();
      // The database's time is known to the round trip of a claim, which a busy machine can delay by seconds.
      expect(Math.abs(Number(reported?.values[0]?.value) - aheadMs / 1_000)).toBeLessThan(60);
    }
  },
);

test("no clock skew is reported before the first comparison", async () => {
  const metrics = new Registry();
  observeClockSkew(metrics, systemClock);
  const reported = await metrics.getSingleMetric("notifier_clock_skew_seconds")?.get();
  expect(reported?.values).toEqual([expect.objectContaining({ value: Number.NaN })]);
});

test.each([
  ["early", early],
  ["late", late],
])(
  "a sign-in link and a session of a replica whose clock is two days %s live as long as others",
  async (_name, one) => {
    const link = await signInLink(one, await createTestStore(registry));
    const { sessionToken } = await one.settings.session.openSession(link);
    const headers = { "x-session": sessionToken };
    for (const replica of [registry, early, late])
      expect(await replica.settings.session.getSession({}, { headers })).toMatchObject({ actor: "unknown" });
    const next = await signInLink(one, await createTestStore(registry));
    expect((await registry.settings.session.openSession(next)).sessionToken).not.toBe("");
    const expiries = await registry.database.collections.sessions
      .find()
      .map(({ expiresAt }) => expiresAt)
      .toArray();
    for (const at of expiries) expect(Math.abs(at.getTime() - Date.now())).toBeLessThan(twoDaysMs / 2);
  },
);

test("a secret of a trigger that a replica with a late clock replaces signs for another day", async () => {
  const { storeId, triggerId, secret } = await createStoreWithTrigger({ registry }, { url: testWebhookUrl });
  const next = await late.triggers.rotateTriggerSecret({ triggerId }, inStore(storeId));
  await issue({ registry }, storeId);
  const { leases } = await registry.triggerDeliveries.claimTriggerDeliveries({ notifierId: "test", limit: 1 });
  const keys = leases.flatMap((lease) => lease.signingKeys).map((key) => Buffer.from(key).toString("base64"));
  expect(keys).toEqual([next.secret, secret].map((one) => standardSigningKey(one).toString("base64")));
});

test("a certificate with its reports of a day gets no more through a replica with an early clock, whose log names it", async () => {
  const storeId = await createTestStore(registry);
  const certificateId = await issueOne(registry, storeId);
  const report = { linkToken: await linkTokenOf(registry, certificateId), content: "The seam is open." };
  for (let count = 0; count < reportsPerDayMax; count += 1) await registry.verification.reportProblem(report);
  await expect(early.verification.reportProblem(report)).rejects.toMatchObject({ code: Code.ResourceExhausted });
  expect(lines).toContainEqual(expect.objectContaining({ storeId, certificateId }));
});

test("reports count for a day by the database's clock, although their store's clock is ahead", async () => {
  const storeId = await createTestStore(registry);
  const certificateId = await issueOne(registry, storeId);
  const { stores, reports } = registry.database.collections;
  await stores.updateOne({ _id: storeId }, { $set: { clock: new Date(Date.now() + twoDaysMs) } });
  const report = { linkToken: await linkTokenOf(registry, certificateId), content: "The seam is open." };
  for (let count = 0; count < reportsPerDayMax; count += 1) await registry.verification.reportProblem(report);
  await expect(registry.verification.reportProblem(report)).rejects.toMatchObject({ code: Code.ResourceExhausted });
  // Stored two days ago, or while the database's clock was ahead.
  for (const sinceMs of [twoDaysMs, -twoDaysMs]) {
    await reports.updateMany({ store: storeId }, { $set: { storedAt: new Date(Date.now() - sinceMs) } });
    expect((await registry.verification.reportProblem(report)).reportId).not.toBe("");
  }
});

test.each([-twoDaysMs, twoDaysMs])(
  "a key that a replica admits whose clock is %i ms ahead is a recently used one for all replicas",
  async (aheadMs) => {
    const { keySha256 } = await createKeyedStore(registry);
    const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    const replica = await startTestRegistry({ database: registry.database, overrides: { clock } });
    await replica.edge.admit({ keySha256 });
    // Stores the use.
    await replica.stop();
    const access = await registry.database.collections.access.findOne({ "keys.hash": keySha256 });
    const usedAt = access?.keys[0]?.lastUsedAt;
    expect(Math.abs(Number(usedAt) - Date.now())).toBeLessThan(twoDaysMs / 2);
    for (const one of [registry, early, late]) {
      const recent = await one.edge.listRecentKeys({ withinSeconds: 600 });
      expect(recent.keySha256.map((hash) => Buffer.from(hash))).toContainEqual(Buffer.from(keySha256));
    }
  },
);

test("a store's history dates the changes of replicas with wrong clocks by the database's", async () => {
  const storeId = await createTestStore(registry);
  for (const replica of [early, late, registry]) await createTestApiKey(replica, storeId);
  const { entries } = await registry.inspection.listStoreHistory({}, inStore(storeId));
  const created = entries.filter(({ details }) => details.keyId !== undefined);
  expect(created).toHaveLength(3);
  for (const { occurredAt } of created)
    expect(Math.abs(Number(occurredAt && timestampMs(occurredAt)) - Date.now())).toBeLessThan(twoDaysMs / 2);
});
