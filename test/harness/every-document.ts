import { randomBytes } from "node:crypto";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { EditionStyle, OwnerDisplay, Plan, RotationStep } from "#gen/registry/v1/store_admin_service_pb.js";
import { hashListenToken } from "#shared/keys/listen-token.ts";
import { partitionCount } from "#shared/nats/event-stream.ts";
import { exportText, headRow } from "#shared/orders/csv-fixture.ts";
import { reason } from "#shared/reasons/reason.ts";
import { systemClock } from "#shared/time/clock.ts";
import { idempotent } from "../../services/registry/certificates/idempotent.ts";
import { issueChange } from "../../services/registry/certificates/issue-certificates.ts";
import { MongoApiKeys } from "../../services/registry/mongo/admissions/mongo-api-keys.ts";
import { MongoLedger } from "../../services/registry/mongo/certificates/mongo-ledger.ts";
import { advanceClock } from "../../services/registry/mongo/certificates/store-clock.ts";
import { sharedTasks } from "../../services/registry/mongo/leases/shared-tasks.ts";
import { MongoSessions } from "../../services/registry/mongo/sessions/mongo-sessions.ts";
import { uploadOrders } from "./import-orders.ts";
import { inStore } from "./in-store.ts";
import { issueItem, issueOne } from "./issue-items.ts";
import { waitingEvents } from "./outbox-events.ts";
import { openTestOutbox } from "./outbox-fixture.ts";
import { type TestRegistry, testVerifyBaseUrl } from "./registry-fixture.ts";
import { openSettingsSession, signInLink } from "./settings-session.ts";
import { storeHistoryOf } from "./store-history-of.ts";
import { writeStorefrontDocuments } from "./storefront/every-document.ts";
import { createTestApiKey, createTestStore } from "./test-stores.ts";

/** Writes every kind of document to a registry's empty database, with each optional field present and absent. */
export async function writeEveryDocument(registry: TestRegistry): Promise<void> {
  const storeId = await writeStores(registry);
  await writeListening(registry, storeId);
  await writeCertificates(registry, storeId);
  await writeDeliveries(registry, storeId);
  await writeTriggers(registry, storeId);
  await writeSessions(registry, storeId);
  await writeImports(registry, storeId);
  await writePart(registry, storeId);
  await writeStorefrontDocuments(registry, storeId);
  await registry.notifier.quarantineMessage({
    subject: "certificates.0.sto_none.issued",
    sequence: 7n,
    data: Buffer.from("?"),
    problem: reason("event_type_unknown", { type: 77 }),
  });
  await sharedTasks(registry.database.collections.leases, "outbox-relay", partitionCount).claimSeat();
  await openTestOutbox(registry.database).advanceMark();
}

/**
 * Creates three stores: one with every setting and a secret rotation in progress, one on the Basic plan without further
 * settings, and one with an unsigned webhook.
 *
 * @returns the id of the store with every setting
 */
async function writeStores(registry: TestRegistry): Promise<string> {
  const { admin, issuing } = registry;
  await createTestStore(registry, { plan: Plan.BASIC });
  const verifyBaseUrl = "https://verify.shop.example/c";
  const style = { editionStyle: EditionStyle.ZERO_PADDED, verifyBaseUrl, language: "pt" };
  const onPages = { displayName: "Linden Press", ownerDisplay: OwnerDisplay.INITIALS };
  const storeId = await createTestStore(registry, { ...style, ...onPages });
  const url = "https://receiver.example.test/hook";
  await admin.setWebhook({ url, createSecret: true }, inStore(storeId));
  await admin.rotateWebhookSecret({ step: RotationStep.BEGIN }, inStore(storeId));
  const unsigned = await createTestStore(registry);
  await admin.setWebhook({ url }, inStore(unsigned));
  await writeLogos(registry, storeId, unsigned);
  await writeKeys(registry, storeId);
  const variants = [{ sku: "AJ-M", title: "M / Blue" }];
  await admin.putProducts(
    {
      products: [
        { id: "7001", title: "Alpine Jacket", variants, editionTotal: 50 },
        { id: "7002", title: "Poster", variants: [{ sku: "P", title: "" }] },
      ],
    },
    inStore(storeId),
  );
  await writeDisplays(registry, storeId);
  await issuing.createSamples({ products: [{ id: "7001", title: "Alpine Jacket" }] }, inStore(storeId));
  return storeId;
}

/** Sets the logo of one store, and records for another that its logo was removed. */
async function writeLogos(registry: TestRegistry, storeId: string, otherId: string): Promise<void> {
  const { stores } = registry.settings;
  const content = Buffer.from("RIFF\0\0\0\0WEBP");
  const headers = await openSettingsSession(registry, storeId);
  await stores.setLogo({ content, width: 10, height: 10 }, { headers });
  await stores.setLogo({}, { headers: await openSettingsSession(registry, otherId) });
}

/** Sets the image and the maker of one product, and the maker of another. */
async function writeDisplays(registry: TestRegistry, storeId: string): Promise<void> {
  const headers = await openSettingsSession(registry, storeId);
  const { stores } = registry.settings;
  const image = { image: Buffer.from("RIFF\0\0\0\0WEBP"), width: 10, height: 10 };
  await stores.setProductDisplay({ productId: "7001", title: "Alpine Jacket", maker: "Mara", ...image }, { headers });
  await stores.setProductDisplay({ productId: "7002", title: "Poster", maker: "Mara" }, { headers });
  await stores.setProductDisplay({ productId: "7002", title: "Poster", image: Buffer.alloc(0) }, { headers });
}

/** Uploads an order export with a rejected line, and a file that cannot be read. */
async function writeImports(registry: TestRegistry, storeId: string): Promise<void> {
  await uploadOrders({ registry }, storeId, { text: exportText([headRow("#1", "7000001", { Email: "x" })]) });
  await uploadOrders({ registry }, storeId, { text: "a,b" });
}

/** Creates an API key, uses it and rolls it. */
async function writeKeys(registry: TestRegistry, storeId: string): Promise<void> {
  const { keyId, keySha256 } = await createTestApiKey(registry, storeId);
  await registry.edge.handleList({ keySha256, admissionId: randomBytes(16) });
  await registry.admin.rollApiKey({ keyId, gracePeriod: { seconds: 3_600n } }, inStore(storeId));
  const use = { keyHash: keySha256, at: new Date(systemClock.now()) };
  const keys = new MongoApiKeys(registry.database.collections.access, storeHistoryOf(registry.database));
  await keys.noteUses([use], { now: use.at, intervalMs: 0 });
}

/** Writes a minimal certificate, one with all data, a revoked one, a reactivated one, and an idempotency key. */
async function writeCertificates(registry: TestRegistry, storeId: string): Promise<void> {
  const { issuing, lifecycle, reports, verification } = registry;
  await issueOne(registry, storeId);
  const numbered = issueItem({ product: { sku: "AJ-M" }, order: {}, expiresAt: { seconds: 4_102_444_800n } });
  const { results } = await issuing.issueCertificates({ items: [numbered] }, inStore(storeId));
  const certificateId = results[0]?.certificateId ?? "";
  await registry.links.replaceLink({ certificateId }, inStore(storeId));
  await verification.recordVerification({ certificateId });
  const reporterEmail = "buyer@example.test";
  await verification.reportProblem({ certificateId, content: "It is fake.", reporterEmail });
  const { reportId } = await verification.reportProblem({ certificateId, content: "It differs." });
  await reports.closeReport({ reportId }, inStore(storeId));
  await lifecycle.revokeCertificate(
    {
      certificateId: await issueOne(registry, storeId),
      cause: RevocationCause.REFUND,
      idempotencyKey: "request-1",
    },
    inStore(storeId),
  );
  const again = { storeId, certificateId: await issueOne(registry, storeId) };
  await lifecycle.revokeCertificate({ ...again, cause: RevocationCause.REFUND }, inStore(again.storeId));
  await lifecycle.reactivateCertificate(again, inStore(again.storeId));
}

/** Claims two events, records an outcome for the first, which is sent again, and marks the second as read. */
async function writeDeliveries({ database, deliveries, notifier }: TestRegistry, storeId: string): Promise<void> {
  const events = await waitingEvents(database, storeId);
  const claims = events.slice(0, 2).map(({ id, certificateId }) => ({
    eventId: id,
    storeId,
    certificateId,
    type: 1,
    requestedBy: id === events[1]?.id ? "ada" : "",
  }));
  await notifier.claimDeliveries({ notifierId: "notifier-1", claims });
  const [settled, claimed] = claims;
  const outbox = openTestOutbox(database);
  await outbox.markTaken([claimed?.eventId ?? ""]);
  await notifier.recordOutcomes({
    outcomes: [
      {
        eventId: settled?.eventId ?? "",
        kind: OutcomeKind.REFUSED,
        httpStatus: 500,
        durationMs: 12,
        reason: reason("status_not_success", { status: 500 }),
        phases: { resolveMs: 1, connectMs: 2, tlsMs: 3, sendMs: 1, replyMs: 5 },
        remoteAddress: "203.0.113.9",
        replyExcerpt: "Not today.",
      },
    ],
  });
  await deliveries.redeliverEvent({ eventId: settled?.eventId ?? "" }, inStore(storeId));
}

/**
 * Creates two triggers: one whose secret is rotated twice, and one that is disabled because its receiver responds with
 * 410. Records an attempt for each, queues further deliveries, and claims one of them.
 */
async function writeTriggers(registry: TestRegistry, storeId: string): Promise<void> {
  const { triggers, triggerDeliveries } = registry;
  const url = "https://flows.example.test/hook";
  const { trigger } = await triggers.createTrigger({ url, events: [EventType.ISSUED] }, inStore(storeId));
  const triggerId = trigger?.triggerId ?? "";
  for (let count = 0; count < 2; count++) await triggers.rotateTriggerSecret({ triggerId }, inStore(storeId));
  await triggers.createTrigger({ url }, inStore(storeId));
  await issueOne(registry, storeId);
  const { leases } = await triggerDeliveries.claimTriggerDeliveries({ notifierId: "notifier-1", limit: 2 });
  const outcome = {
    durationMs: 12,
    reason: reason("connection_failed", { error: "none" }),
    remoteAddress: "203.0.113.9",
    replyExcerpt: "Not today.",
    phases: { resolveMs: 1, connectMs: 2, tlsMs: 3, sendMs: 1, replyMs: 5 },
  };
  const attempts = leases.map((lease) => ({
    deliveryId: lease.deliveryId,
    leaseToken: lease.leaseToken,
    outcome: { ...outcome, kind: OutcomeKind.REFUSED, httpStatus: lease.triggerId === triggerId ? 500 : 410 },
  }));
  await triggerDeliveries.recordTriggerAttempts({ attempts });
  await issueOne(registry, storeId);
  await triggers.testTrigger({ triggerId }, inStore(storeId));
  await triggerDeliveries.claimTriggerDeliveries({ notifierId: "notifier-1", limit: 1 });
}

/** Creates a listen token, after which events are kept for listeners, and sends a sample to those of the token. */
async function writeListening({ admin, listen }: TestRegistry, storeId: string): Promise<void> {
  const { token } = await admin.createListenToken({}, inStore(storeId));
  await listen.sendSample({ tokenSha256: hashListenToken(token), event: EventType.REVOKED });
}

/** Creates a sign-in link, an open and a closed session, and the record of a used platform token. */
async function writeSessions(registry: TestRegistry, storeId: string): Promise<void> {
  const { collections } = registry.database;
  await signInLink(registry, storeId);
  await openSettingsSession(registry, storeId);
  const headers = await openSettingsSession(registry, storeId);
  await registry.settings.stores.createListenToken({}, { headers });
  const { "x-session": sessionToken } = headers;
  await registry.settings.session.closeSession({ sessionToken });
  const expiresAt = new Date(systemClock.now() + 60_000);
  const sessions = new MongoSessions(collections, storeHistoryOf(registry.database), systemClock);
  const session = { tokenHash: "hash", storeId, actor: "platform user 42", expiresAt };
  await sessions.openByPlatformToken({ idHash: "id", issuedAt: new Date(1), expiresAt }, session);
}

/** Commits only the first part of a request, as when another replica changes the same store concurrently. */
async function writePart({ database }: TestRegistry, storeId: string): Promise<void> {
  const { client, collections } = database;
  const ledger = new MongoLedger({
    client,
    collections,
    clock: systemClock,
    serviceVerifyUrl: testVerifyBaseUrl,
    onEvents: () => undefined,
    hasAutomationEvents: true,
    advance: async (...parameters) => {
      const store = await advanceClock(...parameters);
      return { ...store, previousClock: new Date(store.clock.getTime() - 1) };
    },
  });
  const product = { id: "7003", title: "Print", variant: "", sku: "" };
  const item = { product, buyer: { name: "Ada", email: "ada@example.test" }, order: null, expiresAt: null };
  const change = issueChange([item, item], { actor: "test", isImport: true });
  await ledger.commit(storeId, [idempotent("request-2", ["issue"], change)], { enoughTimestamps: 1 });
}
