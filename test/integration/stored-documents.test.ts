import { Binary, type Document } from "mongodb";
import { describe, expect, onTestFinished, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { Admission } from "#gen/registry/v1/edge_service_pb.js";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { ClaimDecision, OutcomeKind, SecretRole } from "#gen/registry/v1/notifier_service_pb.js";
import { RotationStep } from "#gen/registry/v1/store_admin_service_pb.js";
import { ReportKind } from "#gen/registry/v1/verification_service_pb.js";
import { partitionCount } from "#shared/nats/event-stream.ts";
import { reason } from "#shared/reasons/reason.ts";
import { reasonText } from "#shared/reasons/reason-text.ts";
import type { AccessDocument } from "../../services/registry/mongo/documents/access-documents.ts";
import { sharedTasks } from "../../services/registry/mongo/leases/shared-tasks.ts";
import { eventually } from "../harness/eventually.ts";
import { writeEveryDocument } from "../harness/every-document.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { listAll, listOne } from "../harness/public-certificate.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { claimOne, signedWith } from "../harness/signed-with.ts";
import { type Contents, openStoredDocuments } from "../harness/stored-documents.ts";

const { fixture, openFixture } = await openStoredDocuments();

/** Returns the path and type of each field, such as `order.id string`. The path of array items ends in `[]`. */
function fieldsOf(documents: readonly Document[]): string[] {
  return [...new Set(documents.flatMap((document) => fieldsIn(document, "")))].sort();
}

function fieldsIn(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return [`${path} array`, ...value.flatMap((item) => fieldsIn(item, `${path}[]`))];
  if (value instanceof Date) return [`${path} date`];
  if (value instanceof Binary) return [`${path} binary`];
  // The connector stores the content of messages and orders as JSON, whose fields must not change unnoticed either.
  if (typeof value === "string" && /^(content|record)$/.test(path) && value.startsWith("{"))
    return [`${path} string`, ...fieldsIn(JSON.parse(value), path)];
  if (typeof value !== "object" || value === null) return [`${path} ${value === null ? "null" : typeof value}`];
  return Object.entries(value).flatMap(([name, inner]) => fieldsIn(inner, path === "" ? name : `${path}.${name}`));
}

// Fails for every new field: decide first how to read documents without it, then add it to the fixture.
test("writes documents with exactly the fixture's fields", async ({ onTestFinished }) => {
  const registry = await openTestRegistry({}, onTestFinished);
  await writeEveryDocument(registry);
  const { startup_probes: _, ...stored } = await registry.database.contents();
  const { access, replicas } = registry.database.collections;
  // Whole, unlike in `contents`.
  const written = { ...stored, access: await access.find().toArray(), replicas: await replicas.find().toArray() };
  const fields = (contents: Contents) =>
    Object.fromEntries(Object.entries(contents).map(([name, documents]) => [name, fieldsOf(documents)]));
  expect(fields(written)).toEqual(fields(fixture));
});

describe("stored documents", () => {
  test("contain certificates that are listed in order and match the snapshot in their newest unsettled event, if they have one", async (context) => {
    const { registry, storeId, database } = await openFixture(context);
    const listed = await listAll(registry, storeId);
    expect(listed.map(({ serial, status }) => [serial, status])).toEqual([
      ["000001", "active"],
      ["000002", "active"],
      ["000003", "revoked"],
    ]);
    const newest = new Map(
      (await waitingEvents(database, storeId)).map(({ certificateId, certificate }) => [certificateId, certificate]),
    );
    expect(newest.size).toBe(3);
    for (const one of listed) expect(newest.get(one.id)).toEqual(one);
  });

  test("contain a certificate that can be verified, transferred, reported, revoked and reactivated", async (context) => {
    const { registry, storeId, certificateId, ...calls } = await openFixture(context);
    const target = { storeId, certificateId };
    const isFirst = async () => (await calls.verification.recordVerification(target)).isFirst;
    expect([await isFirst(), await isFirst()]).toEqual([true, false]);
    await calls.lifecycle.transferCertificate(
      { ...target, newOwnerName: "G", newOwnerEmail: "g@b" },
      inStore(target.storeId),
    );
    await calls.verification.reportProblem({ ...target, content: "It is torn." });
    await calls.lifecycle.revokeCertificate({ ...target, cause: RevocationCause.REFUND }, inStore(target.storeId));
    expect((await listOne(registry, storeId, "1")).status).toBe("revoked");
    await calls.lifecycle.reactivateCertificate(target, inStore(target.storeId));
    expect(await listOne(registry, storeId, "1")).toMatchObject({ status: "active", owner: { name: "G" } });
    const { entries } = await calls.inspection.getHistory(target, inStore(target.storeId));
    expect(entries.map(({ type }) => EventType[type])).toEqual([
      "ISSUED",
      "VERIFIED",
      "TRANSFERRED",
      "REPORTED",
      "REVOKED",
      "REACTIVATED",
    ]);
    const document = await calls.database.collections.certificates.findOne({ _id: certificateId });
    expect(document?.verifiedAt).toBeInstanceOf(Date);
  });

  test("retain verifications, edition numbers, order units, idempotency keys, reports and history", async (context) => {
    const { registry, storeId, database, ...calls } = await openFixture(context);
    const numbered = await listOne(registry, storeId, "2");
    const { verification, issuing, lifecycle, inspection } = calls;
    expect((await verification.recordVerification({ certificateId: numbered.id })).isFirst).toBe(false);
    const items = [
      issueItem({ order: {} }),
      issueItem({ product: { sku: "AJ-M" } }),
      issueItem({ product: { sku: "P" } }),
    ];
    const { results } = await issuing.issueCertificates({ items }, inStore(storeId));
    expect(results.map(({ serial }) => serial)).toEqual(["000002", "000004", "000005"]);
    expect((await listOne(registry, storeId, "4")).edition).toEqual({
      number: 2,
      total: 50,
      formatted: "02/50",
    });
    const revoked = await listOne(registry, storeId, "3");
    const again = await lifecycle.revokeCertificate(
      {
        certificateId: revoked.id,
        cause: RevocationCause.REFUND,
        idempotencyKey: "request-1",
      },
      inStore(storeId),
    );
    expect(again.certificate).toEqual(revoked);
    const { reports } = await inspection.listReports({}, inStore(storeId));
    expect(reports).toMatchObject([
      { certificateId: numbered.id, content: "It differs.", kind: ReportKind.MISMATCH, closedBy: "ada" },
      { certificateId: numbered.id, content: "It is fake.", kind: ReportKind.OTHER, closedBy: "" },
    ]);
    const { entries } = await inspection.getHistory({ certificateId: numbered.id }, inStore(storeId));
    expect(entries.map(({ cause }) => cause)).toEqual(["order", "verification_page", "verification_page", "in_app"]);
    const partitions = sharedTasks(database.collections.leases, "outbox-relay", partitionCount);
    // Stores the documents that the fixture does not have.
    expect(await partitions.claimSeat()).toBeDefined();
    const claims = Array.from({ length: partitionCount }, (_, partition) => partitions.claimTask(partition));
    expect((await Promise.all(claims)).every((claim) => claim !== undefined)).toBe(true);
  });

  test("contain API keys that can be listed, rolled and used", async (context) => {
    const { admin, edge, storeId } = await openFixture(context);
    const access = fixture.access?.find(({ _id }) => _id === storeId) as AccessDocument | undefined;
    const keySha256 = access?.keys[1]?.hash.value() ?? new Uint8Array();
    const { keys } = await admin.listApiKeys({}, inStore(storeId));
    expect(keys.map(({ label, prefix }) => [label, prefix])).toEqual(
      access?.keys.map(({ label, prefix }) => [label, prefix]),
    );
    expect([keys[1]?.lastUsedAt, keys[1]?.validUntil]).toEqual([undefined, undefined]);
    await admin.rollApiKey({ keyId: keys[1]?.keyId ?? "", gracePeriod: { seconds: 60n } }, inStore(storeId));
    expect((await admin.listApiKeys({}, inStore(storeId))).keys).toHaveLength(keys.length + 1);
    expect((await edge.admit({ keySha256 })).admission).toBe(Admission.ADMITTED);
  });

  test("still determine admissions, webhook targets and which deliveries are settled", async (context) => {
    const { storeId, edge, notifier, database } = await openFixture(context);
    const access = fixture.access?.find(({ _id }) => _id === storeId) as AccessDocument | undefined;
    const keySha256 = access?.keys[0]?.hash.value() ?? new Uint8Array();
    expect(await edge.admit({ keySha256 })).toMatchObject({ admission: Admission.ADMITTED, storeId });
    const events = await waitingEvents(database, storeId);
    const claims = events.map(({ id, certificateId }) => ({ eventId: id, storeId, certificateId, type: 1 }));
    const { results } = await notifier.claimDeliveries({ notifierId: "notifier-2", claims });
    const { SEND, SETTLED } = ClaimDecision;
    expect(results.map(({ decision }) => decision)).toEqual([SETTLED, SETTLED, SEND, SEND, SEND, SEND]);
    const { url, secret, otherSecret } = results[2]?.target ?? {};
    expect(url).toBe("https://receiver.example.test/hook");
    expect(Buffer.from(secret ?? []).toString()).toBe("whsec_of-the-fixture");
    expect(otherSecret?.role).toBe(SecretRole.NEXT);
    expect(Buffer.from(otherSecret?.secret ?? []).toString()).toBe("whsec_next-of-the-fixture");
    const outcomes = await database.collections.deliveries.find({ outcome: { $ne: null } }).toArray();
    expect(outcomes.map(({ outcome }) => outcome?.kind).sort()).toEqual(["interrupted", "refused"]);
  });

  test("contain deliveries, which are listed with the stored fields of their outcomes", async (context) => {
    const { storeId, inspection } = await openFixture(context);
    const { deliveries } = await inspection.listDeliveries({}, inStore(storeId));
    const outcomes = deliveries.map(({ outcome }) => [
      outcome?.kind,
      outcome?.reason?.text,
      outcome?.phases?.replyMs,
      outcome?.remoteAddress,
      outcome?.replyExcerpt,
    ]);
    const refused = [OutcomeKind.REFUSED, reasonText(reason("status_not_success", { status: 500 }), "en")];
    expect(outcomes).toEqual([
      [...refused, 5, "203.0.113.9", "Not today."],
      [undefined, undefined, undefined, undefined, undefined],
    ]);
  });

  test("contain triggers with their delivery logs", async (context) => {
    const { storeId, triggers } = await openFixture(context);
    const listed = (await triggers.listTriggers({}, inStore(storeId))).triggers;
    expect(listed.map(({ enabled, waitingCount }) => [enabled, waitingCount]).toSorted()).toEqual([
      [false, 0],
      [true, 4],
    ]);
    const { deliveries } = await triggers.listTriggerDeliveries({}, inStore(storeId));
    const refused = deliveries.flatMap(({ lastAttempt }) => (lastAttempt?.httpStatus ? [lastAttempt.httpStatus] : []));
    expect(refused.toSorted()).toEqual([410, 500]);
  });

  test("contain a storefront's orders and messages, which continue to be processed", async (context) => {
    const { registry, storefront, database } = await openFixture(context);
    const storeId: string = fixture.storefronts?.at(-1)?._id;
    await eventually(async () => expect((await storefront.getStorefront({}, inStore(storeId))).waitingCount).toBe(0));
    const connection = await storefront.getStorefront({}, inStore(storeId));
    expect(connection).toMatchObject({ failedCount: 0, isClosed: false, rules: [{ name: "all" }] });
    expect(connection.lastMessageAt).toBeUndefined();
    // The order has two units. The refunded one gets no certificate.
    const found = await database.collections.certificates.find({ store: storeId }).toArray();
    expect(found.map(({ status, owner }) => [status, owner.email])).toEqual([["active", "ada@example.test"]]);
    const { reportJson } = await registry.storefront.getDataRequestReport({ requestId: "m2" }, inStore(storeId));
    const report = JSON.parse(reportJson);
    expect([report.certificates.length, report.orders.length]).toEqual([1, 1]);
    const { problems } = await storefront.listStorefrontProblems({}, inStore(fixture.storefronts?.[0]?._id));
    expect(problems.map(({ id }) => id).sort()).toEqual(["5400000000002", "5400000000003", "m3"]);
  });

  test("never cause a message to be signed with a secret that is stored unencrypted, and permit a new secret to be set", async (context) => {
    const { registry, admin, database, storeId } = await openFixture(context);
    await database.collections.stores.updateOne(
      { _id: storeId },
      { $set: { "webhook.secrets.active.text": "whsec_in-plain-text" } },
    );
    expect(await claimOne(registry, storeId)).toMatchObject({ decision: ClaimDecision.LATER });
    const url = "https://receiver.example.test/elsewhere";
    const { secret } = await admin.setWebhook({ url, createSecret: true }, inStore(storeId));
    expect(await signedWith(registry, storeId)).toEqual([secret]);
  });
});

test.each([
  ["that a later release has rendered", { json: [2, "in a later form"] }],
  ["that a release kept unchanged when it changed the certificate", { updatedAt: new Date("2025-07-01T00:00:00Z") }],
])("lists a certificate as its messages show it, not the stored JSON %s", async (_case, change) => {
  const { registry, storeId, certificateId, database } = await openFixture({ onTestFinished });
  await database.db
    .collection<Document & { _id: string }>("certificates")
    .updateOne({ _id: certificateId }, { $set: change });
  const found = (await listAll(registry, storeId)).find(({ id }) => id === certificateId);
  const { certificate } = await registry.inspection.getCertificate(
    {
      by: { case: "certificateId", value: certificateId },
    },
    inStore(storeId),
  );
  expect(found).toEqual(certificate);
});

test("preserves a document's unknown fields when changing it, because two releases run side by side during an upgrade", async (context) => {
  const { storeId, certificateId, ...calls } = await openFixture(context);
  const certificates = calls.database.db.collection<Document & { _id: string }>("certificates");
  const later = { laterField: { note: "x" }, "product.laterField": 1 };
  await certificates.updateOne({ _id: certificateId }, { $set: later });
  await calls.lifecycle.revokeCertificate(
    {
      certificateId,
      cause: RevocationCause.REFUND,
    },
    inStore(storeId),
  );
  expect(await certificates.findOne({ _id: certificateId })).toMatchObject({
    status: "revoked",
    laterField: { note: "x" },
    product: { laterField: 1 },
  });
});

test("preserves a webhook's unknown fields when its URL is set and when its secret is rotated", async (context) => {
  const { storeId, admin, database } = await openFixture(context);
  const stores = database.db.collection<Document & { _id: string }>("stores");
  await stores.updateOne({ _id: storeId }, { $set: { "webhook.laterField": { note: "x" } } });
  const url = "https://receiver.example.test/elsewhere";
  await admin.setWebhook({ url, createSecret: true }, inStore(storeId));
  await admin.rotateWebhookSecret({ step: RotationStep.BEGIN }, inStore(storeId));
  expect(await stores.findOne({ _id: storeId })).toMatchObject({
    webhook: { url, laterField: { note: "x" }, secrets: { others: [{ role: "next" }] } },
  });
});
