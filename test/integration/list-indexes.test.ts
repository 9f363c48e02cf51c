import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { beforeAll, expect, test } from "vitest";
import { failedKinds } from "../../services/registry/deliveries/delivery-log.ts";
import { feedCursor, feedQuery } from "../../services/registry/mongo/certificates/feed-query.ts";
import { MongoFeed } from "../../services/registry/mongo/certificates/mongo-feed.ts";
import { reportsCursor } from "../../services/registry/mongo/certificates/mongo-reports.ts";
import { logCursor } from "../../services/registry/mongo/deliveries/mongo-delivery-log.ts";
import type { ReportDocument } from "../../services/registry/mongo/documents/documents.ts";
import { snapshotReader } from "../../services/registry/mongo/driver/read-snapshot.ts";
import { oldestCursor } from "../../services/registry/mongo/outbox/mongo-outbox.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { plannedDeliveries, plannedFilters, planValues, stagesOf, walksIndexes } from "../harness/query-plans.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { certificates, deliveries, outbox } = registry.database.collections;

const certificateCount = 400;
const pageSize = 5;
const dayMs = 86_400_000;
const soon = Date.now() + dayMs;
// Half of the certificates expire before this time. It is in the future, so no request has stored their expiry yet.
const now = new Date(soon + dayMs);

const plans = test.skipIf(!(await walksIndexes(registry.database.db)));

let storeId: string;
beforeAll(async () => {
  storeId = await createTestStore(registry);
  const items = Array.from({ length: certificateCount }, (_, index) =>
    issueItem({
      buyer: { email: planValues(index).email },
      order: { id: planValues(index).orderId, name: `#${planValues(index).orderId}`, unit: index + 1 },
      ...(index % 2 === 0 ? { expiresAt: timestampFromMs(soon) } : {}),
    }),
  );
  for (let from = 0; from < items.length; from += 100)
    await registry.issuing.issueCertificates({ items: items.slice(from, from + 100) }, inStore(storeId));
  const revoked = { status: "revoked", revokedAt: now, revokedReason: "Refund" } as const;
  await certificates.updateMany({ store: storeId, serial: { $mod: [4, 0] } }, { $set: revoked });
});

plans.each(plannedFilters)("a page with %s reads at most one index key beyond its size", async (_name, filter) => {
  const { client, collections } = registry.database;
  const feed = new MongoFeed(collections, snapshotReader(client), () => now);
  const all = await feed.readRows(storeId, { filter, countMax: certificateCount + 1, now, remainingMs: () => 10_000 });
  expect(all.length).toBeGreaterThan(0);
  const middle = all[Math.floor(all.length / 2) - 1]?.updatedAt;
  for (const changedAfter of [undefined, middle]) {
    const query = { ...filter, ...(changedAfter && { changedAfter }) };
    const plan = await feedCursor(certificates, feedQuery(storeId, query, pageSize, now)).explain("executionStats");
    const stages = stagesOf(plan.queryPlanner.winningPlan);
    expect(stages).toContain("IXSCAN");
    expect(stages).not.toContain("COLLSCAN");
    expect(stages).not.toContain("SORT");
    // One extra key may be read to detect the end of a range.
    expect(plan.executionStats.totalKeysExamined).toBeLessThanOrEqual(pageSize + 1);
    expect(plan.executionStats.totalDocsExamined).toBeLessThanOrEqual(pageSize + 1);
  }
});

plans("the search for expired certificates reads at most one index key when none has expired", async () => {
  const due = {
    store: storeId,
    status: "active",
    expiresAt: { $gt: new Date(0), $lte: new Date(1) },
  } as const;
  const plan = await certificates.find(due).limit(1).explain("executionStats");
  expect(stagesOf(plan.queryPlanner.winningPlan)).toContain("IXSCAN");
  expect(plan.executionStats.totalKeysExamined).toBeLessThanOrEqual(1);
});

plans(
  "the search for the oldest unsettled event reads at most four index keys, whether or not later events are taken",
  async () => {
    const [, second] = await outbox.find().sort({ at: 1 }).toArray();
    if (second === undefined) throw new Error("the outbox has fewer than two events");
    for (const taken of [null, true] as const) {
      await outbox.updateMany({ at: { $gte: second.at } }, { $set: { taken } });
      const plan = await oldestCursor(outbox).explain("executionStats");
      const stages = stagesOf(plan.queryPlanner.winningPlan);
      expect(stages).toContain("IXSCAN");
      expect(stages).not.toContain("SORT");
      expect(plan.executionStats.totalKeysExamined).toBeLessThanOrEqual(4);
    }
  },
);

plans(
  "a selection of deliveries reads at most three index keys more for each outcome and event that it selects",
  async () => {
    const store = `${storeId}_selected`;
    const at = new Date();
    await deliveries.insertMany(plannedDeliveries(store, at, certificateCount));
    const all = { storeId: store, eventId: undefined, certificateId: undefined, since: undefined, until: undefined };
    const rest = { ...all, after: undefined };
    for (const query of [
      { ...rest, kinds: failedKinds, type: undefined },
      { ...rest, kinds: failedKinds, type: undefined, withoutResent: true },
      { ...rest, kinds: ["refused" as const], type: 2 },
      { ...rest, kinds: undefined, type: 3, isOldestFirst: true },
      { ...rest, kinds: undefined, type: undefined, isRepeatable: true, isOldestFirst: true },
    ]) {
      const plan = await logCursor(deliveries, query, pageSize).explain("executionStats");
      expect(stagesOf(plan.queryPlanner.winningPlan)).not.toContain("SORT");
      expect(plan.executionStats.totalKeysExamined).toBeLessThanOrEqual(pageSize + 168);
      expect(plan.executionStats.totalDocsExamined).toBeLessThanOrEqual(pageSize + 168);
    }
  },
);

plans(
  "a page of open reports reads at most one index key beyond its size, however many newer ones are closed",
  async () => {
    const { reports } = registry.database.collections;
    const reportOf = (index: number): ReportDocument => ({
      _id: `rep_${index}`,
      store: storeId,
      certificate: "crt_1",
      at: new Date(index),
      storedAt: new Date(),
      kind: "other",
      content: "",
      reporterEmail: "",
      ...(index >= 2 * pageSize && { closed: { at: new Date(), by: "support" } }),
    });
    await reports.insertMany(Array.from({ length: certificateCount }, (_, index) => reportOf(index)));
    const query = { storeId, openOnly: true, countMax: pageSize };
    for (const before of [undefined, new Date(2 * pageSize - 1)]) {
      const plan = await reportsCursor(reports, { ...query, before }).explain("executionStats");
      expect(stagesOf(plan.queryPlanner.winningPlan)).not.toContain("SORT");
      expect(plan.executionStats.nReturned).toBe(pageSize);
      expect(plan.executionStats.totalKeysExamined).toBeLessThanOrEqual(pageSize + 1);
    }
  },
);

plans("the deliveries of one certificate are read without those of the store's other certificates", async () => {
  const deliveryOf = (index: number) => ({
    _id: `evt_${index}`,
    store: storeId,
    certificate: `crt_${index % 40}`,
    type: 1,
    claimedBy: "",
    claimedAt: new Date(Date.now() - index),
    outcome: null,
  });
  await deliveries.insertMany(Array.from({ length: certificateCount }, (_, index) => deliveryOf(index)));
  const rest = {
    eventId: undefined,
    kinds: undefined,
    type: undefined,
    since: undefined,
    until: undefined,
    after: undefined,
  };
  const query = { ...rest, storeId, certificateId: "crt_7" };
  const plan = await logCursor(deliveries, query, pageSize).explain("executionStats");
  expect(stagesOf(plan.queryPlanner.winningPlan)).not.toContain("SORT");
  expect(plan.executionStats.totalKeysExamined).toBeLessThanOrEqual(pageSize + 1);
});
