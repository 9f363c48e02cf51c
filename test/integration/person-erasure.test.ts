import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Binary } from "mongodb";
import { connect } from "nats";
import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { ErasureKind } from "#gen/registry/v1/person_service_pb.js";
import { automationStreamName } from "#shared/nats/automation-stream.ts";
import { eventSubject } from "#shared/nats/event-stream.ts";
import { reason } from "#shared/reasons/reason.ts";
import { erasedPerson } from "../../services/registry/persons/person-texts.ts";
import { findInDatabase, findInStream } from "../harness/find-text.ts";
import { FollowingReader } from "../harness/following-reader.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem, issueOne } from "../harness/issue-items.ts";
import { pagesOf } from "../harness/pages-of.ts";
import { listAll } from "../harness/public-certificate.ts";
import { openTestRegistry, startTestRegistry } from "../harness/registry-fixture.ts";
import { runCertctlFor } from "../harness/run-certctl.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { createTestStore, testWebhookUrl } from "../harness/test-stores.ts";
import {
  closing,
  issue,
  openNotifierRig,
  openReceiver,
  soon,
  startNotifier,
  streamedCount,
  untilAllSettled,
} from "./notifier-rig.ts";

const ada = { name: "Ada Lovelace", email: "Ada@Example.test" };
const bob = { name: "Bob Example", email: "bob@example.test" };
const buyerIs = (buyer: typeof ada) => ({ buyer });

type Rig = Awaited<ReturnType<typeof openNotifierRig>>;

/** Creates a store whose certificates, reports, deliveries and quarantined message contain data about Ada or Bob. */
async function createStoreWithAda(rig: Rig) {
  const { registry } = rig;
  const { issuing, lifecycle, verification } = registry;
  const receiver = await openReceiver(rig);
  const { storeId } = receiver;
  const items = [issueItem(buyerIs(ada)), issueItem(buyerIs(bob)), issueItem(buyerIs(ada))];
  const { results } = await issuing.issueCertificates({ items, idempotencyKey: "first" }, inStore(storeId));
  const [owned = "", bobs = "", sold = ""] = results.map(({ certificateId }) => certificateId);
  const transfer = (certificateId: string, to: typeof ada) =>
    lifecycle.transferCertificate({ certificateId, newOwnerName: to.name, newOwnerEmail: to.email }, inStore(storeId));
  await transfer(sold, bob);
  const passedThrough = await issueOne(registry, storeId, buyerIs(bob));
  await transfer(passedThrough, ada);
  await transfer(passedThrough, bob);
  await lifecycle.revokeCertificate(
    { certificateId: owned, reason: "refunded to ada lovelace", cause: 1 },
    inStore(storeId),
  );
  const report = (certificateId: string, content: string, reporterEmail: string) =>
    verification.reportProblem({ certificateId, content, reporterEmail });
  await report(bobs, "My name is on this one.", ada.email);
  await report(owned, "Ada Lovelace sold me a copy.", bob.email);
  await report(bobs, "I know Ada Lovelace, who is somebody else here.", bob.email);
  const { deliveries, quarantine } = registry.database.collections;
  const attempt = { httpStatus: 400, durationMs: 1, phases: {}, remoteAddress: "" };
  const outcome = { ...attempt, kind: "refused", reason: null, at: new Date() };
  const delivery = { store: storeId, type: 1, claimedBy: "test", claimedAt: new Date() };
  await deliveries.insertMany([
    { _id: "evt_a", ...delivery, certificate: owned, outcome: { ...outcome, replyExcerpt: "no such user: Ada L." } },
    { _id: "evt_b", ...delivery, certificate: bobs, outcome: { ...outcome, replyExcerpt: "no such user: Bob" } },
  ]);
  const subject = eventSubject(storeId, EventType.ISSUED, "evt_q");
  const data = new Binary(Buffer.from(`"email":"${ada.email}"`));
  const problem = reason("event_malformed");
  await quarantine.insertOne({ _id: "q", subject, messageId: "evt_q", data, problem, at: new Date() });
  return { ...receiver, owned, bobs, sold, passedThrough };
}

test("erases a person from the events for triggers, the trigger logs, and the stream of automation events", async (context) => {
  const natsUrl = (await startTestNats(context.onTestFinished)).url;
  const env = { REGISTRY_AUTOMATION_EVENTS: "on" };
  const registry = await openTestRegistry({ natsUrl, env }, context.onTestFinished);
  const connection = closing(context, await connect({ servers: natsUrl }));
  const { database } = registry;
  const { triggerDeliveries, automationOutbox } = database.collections;
  const storeId = await createTestStore(registry);
  await registry.triggers.createTrigger({ url: testWebhookUrl }, inStore(storeId));
  const certificateId = await issueOne(registry, storeId, buyerIs(ada));
  await issueOne(registry, storeId, buyerIs(bob));
  const inStream = (email: string) => findInStream(connection, email, automationStreamName);
  await soon(async () => expect(await inStream(ada.email)).toHaveLength(1));
  // A settled event whose receiver quoted the person's name in its response.
  const attempt = { httpStatus: 400, durationMs: 1, phases: {}, remoteAddress: "" };
  const outcome = { ...attempt, kind: "refused", reason: null, at: new Date() };
  await triggerDeliveries.insertOne({
    _id: "trg_a/evt_a",
    store: storeId,
    trigger: "trg_a",
    certificate: certificateId,
    type: 1,
    at: new Date(),
    state: "given_up",
    attempts: 3,
    firstAttemptAt: null,
    lastAttempt: { ...outcome, replyExcerpt: "no such user: Ada L." },
  });
  const event = new Binary(Buffer.from(`{"email":"${ada.email}"}`));
  const at = new Date();
  await automationOutbox.insertOne({ _id: "evt_b", store: "another", at, storedAt: at, name: "issued", event });

  expect(await runCertctlFor(registry, storeId, "person", "erase", ada.email, "--yes")).toMatchObject({ code: 0 });
  expect(await inStream(ada.email)).toEqual([]);
  expect(await inStream(bob.email)).toHaveLength(1);
  await automationOutbox.deleteMany({ store: "another" });
  expect(await findInDatabase(database, ada.email)).toEqual([]);
  expect(await findInDatabase(database, "Ada L.")).toEqual([]);
  const states = (await triggerDeliveries.find().sort({ at: 1 }).toArray()).map(({ state, event: kept }) => [
    state,
    kept !== undefined,
  ]);
  expect(states.toSorted()).toEqual([
    ["given_up", false],
    ["skipped", false],
    ["waiting", true],
  ]);
}, 180_000);

test("erases a person from the stream of automation events that were switched off meanwhile", async (context) => {
  const natsUrl = (await startTestNats(context.onTestFinished)).url;
  const connection = closing(context, await connect({ servers: natsUrl }));
  const publishing = await openTestRegistry(
    { natsUrl, env: { REGISTRY_AUTOMATION_EVENTS: "on" } },
    context.onTestFinished,
  );
  const { database } = publishing;
  const storeId = await createTestStore(publishing);
  for (const buyer of [ada, bob]) await issueOne(publishing, storeId, buyerIs(buyer));
  const inStream = (email: string) => findInStream(connection, email, automationStreamName);
  await soon(async () => expect(await inStream(bob.email)).toHaveLength(1));
  const registry = await openTestRegistry({ database, natsUrl }, context.onTestFinished);
  const erased = await runCertctlFor(registry, storeId, "person", "erase", ada.email, "--yes");
  expect(erased).toMatchObject({ code: 0, out: expect.stringContaining("automation events in the stream: 1") });
  expect([await inStream(ada.email), (await inStream(bob.email)).length]).toEqual([[], 1]);
}, 180_000);

test("certctl says that an erasure which lost NATS is not complete, and what it has erased", async (context) => {
  // Refuses connections to NATS.
  const registry = await openTestRegistry({}, context.onTestFinished);
  const stores = [await createTestStore(registry), await createTestStore(registry)] as const;
  const certificates = await Promise.all(stores.map((storeId) => issueOne(registry, storeId, buyerIs(ada))));
  const erase = (storeId: string, ...more: string[]) =>
    runCertctlFor(registry, storeId, "person", "erase", ada.email, "--yes", ...more);
  const [text, json] = await Promise.all([erase(stores[0]), erase(stores[1], "--json")]);
  expect(text).toMatchObject({
    code: 5,
    out: expect.stringMatching(/^certificates: 1\n.*\nthe erasure is not complete: run the command again/s),
    error: expect.stringContaining("NATS is unavailable"),
  });
  expect([json.code, JSON.parse(json.out)]).toEqual([
    5,
    { isComplete: false, counts: expect.objectContaining({ certificates: 1 }), certificateIds: [certificates[1]] },
  ]);
}, 180_000);

/**
 * Runs all steps of an erasure of Ada once.
 *
 * @returns the number of automation events that wait for a relay, and of those erased from the outbox and the stream
 */
async function eraseAda({ persons }: Pick<Rig["registry"], "persons">, storeId: string) {
  let [waiting, erased, deleted] = [0, 0, 0];
  const take = (pageToken: string) => persons.erasePerson({ email: ada.email, pageToken }, inStore(storeId));
  for await (const step of pagesOf(take)) {
    if (step.kind === ErasureKind.AUTOMATION_EVENTS) {
      waiting += step.waitingCount;
      erased += step.count;
    }
    if (step.kind === ErasureKind.AUTOMATION_STREAM) deleted += step.count;
  }
  return { waiting, erased, deleted };
}

test("an erasure leaves a waiting automation event to the relay, and counts it as in flight until it is published", async (context) => {
  const natsUrl = (await startTestNats(context.onTestFinished)).url;
  const env = { REGISTRY_AUTOMATION_EVENTS: "on" };
  const registry = await openTestRegistry({ natsUrl, env }, context.onTestFinished);
  const connection = closing(context, await connect({ servers: natsUrl }));
  const { automationOutbox } = registry.database.collections;
  const storeId = await createTestStore(registry);
  // The relay publishes a store's events in order, and cannot read this one. Not older than events are kept: the
  // database deletes expired ones once a minute.
  const at = new Date(Date.now() - 60_000);
  const unreadable = { name: "issued", event: new Binary([0xff]) };
  await automationOutbox.insertOne({ _id: "first", store: storeId, at, storedAt: at, ...unreadable });
  await issueOne(registry, storeId, buyerIs(ada));
  const erase = () => eraseAda(registry, storeId);
  await soon(async () => expect(await erase()).toEqual({ waiting: 1, erased: 0, deleted: 0 }));
  await automationOutbox.deleteOne({ _id: "first" });
  await soon(async () => expect(await automationOutbox.countDocuments({ store: storeId })).toBe(0));
  expect(await erase()).toEqual({ waiting: 0, erased: 0, deleted: 1 });
  expect(await findInStream(connection, ada.email, automationStreamName)).toEqual([]);
}, 180_000);

test("an erasure leaves waiting automation events to another registry that publishes them, until it stops", async (context) => {
  const natsUrl = (await startTestNats(context.onTestFinished)).url;
  // In this one, automation events are off.
  const registry = await openTestRegistry({ natsUrl }, context.onTestFinished);
  const { database } = registry;
  const publishing = await startTestRegistry({ database, natsUrl, env: { REGISTRY_AUTOMATION_EVENTS: "on" } });
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= publishing.stop());
  context.onTestFinished(stop);
  const { automationOutbox } = database.collections;
  const storeId = await createTestStore(registry);
  // The relay publishes a store's events in order, and cannot read this one.
  const at = new Date(Date.now() - 60_000);
  const unreadable = { name: "issued", event: new Binary([0xff]) };
  await automationOutbox.insertOne({ _id: "first", store: storeId, at, storedAt: at, ...unreadable });
  await issueOne(publishing, storeId, buyerIs(ada));
  const erase = () => eraseAda(registry, storeId);
  await soon(async () => expect(await erase()).toEqual({ waiting: 1, erased: 0, deleted: 0 }));
  await stop();
  expect(await erase()).toEqual({ waiting: 0, erased: 1, deleted: 0 });
  expect(await findInDatabase(database, ada.email)).toEqual([]);
}, 180_000);

test("erases a person from the database and the stream, keeps other people's data, and sends no message about the person", async (context) => {
  const rig = await openNotifierRig(context);
  const { registry } = rig;
  const { database } = registry;
  const store = await createStoreWithAda(rig);
  const { storeId } = store;
  // The relay marks an entry as taken after it has published the event, and a preview must change no document.
  await soon(async () => {
    expect(await streamedCount(rig)).toBeGreaterThan(2);
    expect(await database.collections.outbox.countDocuments({ taken: null })).toBe(0);
  });
  const before = await listAll(registry, storeId);
  const contents = async () => {
    const { leases: _lease, marks: _mark, ...documents } = await database.contents();
    return documents;
  };
  const stored = await contents();
  // The words by which a search finds her certificates.
  expect(await findInDatabase(database, "lovelace")).toContain("certificates");
  const historyOfBob = await database.collections.history.find({ certificate: store.bobs }).toArray();

  const erase = (...more: string[]) => runCertctlFor(registry, storeId, "person", "erase", "ada@example.test", ...more);
  const preview = await erase();
  expect(preview).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^would erase the person from: certificates \(2\)/),
  });
  expect(await contents()).toEqual(stored);

  const run = await erase("--yes");
  expect(run).toMatchObject({ code: 0, out: expect.stringContaining("a final search found nothing") });
  expect(await findInDatabase(database, ada.email)).toEqual([]);
  expect(await findInStream(rig.connection, ada.email)).toEqual([]);
  // Bob's report about another Ada remains: a name alone does not identify a person.
  expect(await findInDatabase(database, ada.name)).toEqual(["reports"]);
  expect(await findInDatabase(database, "lovelace")).toEqual(["reports"]);
  expect(await findInStream(rig.connection, ada.name)).toEqual([]);

  const after = await listAll(registry, storeId);
  const byId = new Map(after.map((certificate) => [certificate.id, certificate]));
  expect(byId.get(store.owned)).toMatchObject({
    owner: erasedPerson,
    originalBuyer: erasedPerson,
    status: "revoked",
    revokedReason: "refunded to [erased]",
  });
  expect(byId.get(store.sold)).toMatchObject({ owner: bob, originalBuyer: erasedPerson });
  for (const id of [store.bobs, store.passedThrough])
    expect(byId.get(id)).toEqual(before.find((certificate) => certificate.id === id));
  const newest = before.at(-1)?.updatedAt ?? "";
  const changed = after.filter(({ updatedAt }) => updatedAt > newest).map(({ id }) => id);
  expect(changed.toSorted()).toEqual([store.owned, store.sold].toSorted());

  const { history, reports, deliveries } = database.collections;
  expect(await history.find({ certificate: store.bobs }).toArray()).toEqual(historyOfBob);
  expect(await history.countDocuments()).toBe(stored.history?.length);
  expect((await reports.find().sort({ at: 1 }).toArray()).map((one) => [one.reporterEmail, one.content])).toEqual([
    [erasedPerson.email, "[erased]"],
    [bob.email, "[erased] sold me a copy."],
    [bob.email, "I know Ada Lovelace, who is somebody else here."],
  ]);
  expect((await deliveries.findOne({ _id: "evt_b" }))?.outcome?.replyExcerpt).toBe("no such user: Bob");
  const { entries } = await registry.inspection.listStoreHistory({}, inStore(storeId));
  expect(entries.map(({ action }) => action)).toContain("person.erased");

  // A retry still returns the first response, without the person's data.
  const items = [issueItem(buyerIs(ada)), issueItem(buyerIs(bob)), issueItem(buyerIs(ada))];
  const retried = await registry.issuing.issueCertificates({ items, idempotencyKey: "first" }, inStore(storeId));
  expect(retried.results.map(({ certificateId }) => certificateId)).toEqual([store.owned, store.bobs, store.sold]);
  expect(JSON.stringify(retried.results)).not.toContain(ada.name);

  await startNotifier(rig);
  await untilAllSettled(rig);
  expect(store.certificates()).toContain(store.bobs);
  const sent = Buffer.concat(store.requests.map(({ body }) => body)).toString();
  expect(sent).not.toMatch(/ada@example\.test/i);
  const skipped = await deliveries.find({ store: storeId, "outcome.kind": "skipped" }).toArray();
  expect(skipped.map(({ outcome }) => outcome?.reason)).toEqual(
    Array(skipped.length).fill(reason("erased_before_sending")),
  );
}, 180_000);

test("erases a person from more messages of the stream than one step reads", async (context) => {
  const natsUrl = (await startTestNats(context.onTestFinished)).url;
  const registry = await openTestRegistry({ natsUrl }, context.onTestFinished);
  const storeId = await createTestStore(registry);
  const connection = closing(context, await connect({ servers: natsUrl }));
  await issueOne(registry, storeId, buyerIs(bob));
  await soon(async () => expect(await findInStream(connection, bob.email)).toHaveLength(1));
  const publish = (id: string) =>
    connection.jetstream().publish(eventSubject(storeId, EventType.ISSUED, id), ada.email, { msgID: id });
  await Promise.all(Array.from({ length: 501 }, (_, index) => publish(`evt_${index}`)));
  const take = (pageToken: string) => registry.persons.erasePerson({ email: ada.email, pageToken }, inStore(storeId));
  const tokens: string[] = [];
  for await (const { nextPageToken } of pagesOf(take)) tokens.push(nextPageToken);
  expect(tokens).toContainEqual(expect.stringMatching(/^stream \d+$/));
  expect(await findInStream(connection, ada.email)).toEqual([]);
  expect(await findInStream(connection, bob.email)).toHaveLength(1);
}, 180_000);

test("an interrupted erasure can be repeated on another replica and completes during concurrent changes", async (context) => {
  const rig = await openNotifierRig(context);
  const { registry, natsUrl } = rig;
  const replica = await openTestRegistry({ database: registry.database, natsUrl }, context.onTestFinished);
  const storeId = await createTestStore(registry);
  const items = Array.from({ length: 120 }, (_, index) => issueItem(buyerIs(index % 2 === 0 ? ada : bob)));
  const { results } = await registry.issuing.issueCertificates({ items }, inStore(storeId));
  const ids = results.map(({ certificateId }) => certificateId);

  const reader = new FollowingReader(async (changedAfter) => {
    const since = changedAfter === undefined ? {} : { updatedSince: timestampFromDate(new Date(changedAfter)) };
    return listAll(registry, storeId, { limit: 20, ...since });
  });
  let isDone = false;
  const following = (async () => {
    do await reader.catchUp();
    while (!isDone);
    await reader.catchUp();
  })();
  const writing = (async () => {
    for (const certificateId of ids.filter((_id, index) => index % 2 === 1))
      await replica.lifecycle.transferCertificate(
        {
          certificateId,
          newOwnerName: "Cy",
          newOwnerEmail: "cy@example.test",
        },
        inStore(storeId),
      );
    await issue({ registry: replica }, storeId, 3);
  })();
  const step = (from: typeof registry, pageToken: string) =>
    from.persons.erasePerson({ email: ada.email, pageToken }, inStore(storeId));
  // The first attempt ends after one step, as if its caller had been killed; the second runs on the other replica.
  expect((await step(registry, "")).kind).toBe(ErasureKind.CERTIFICATES);
  const kinds = new Set<ErasureKind>();
  for await (const { kind } of pagesOf((pageToken) => step(replica, pageToken))) kinds.add(kind);
  expect(kinds.size).toBeGreaterThan(1);
  await writing;
  isDone = true;
  await following;

  const listed = await listAll(registry, storeId);
  expect(listed).toHaveLength(123);
  expect(reader.staleAgainst(listed)).toEqual([]);
  expect(new Set(listed.map(({ updatedAt }) => updatedAt)).size).toBe(listed.length);
  // The certificates issued meanwhile may be erased or not: their owner is the same person.
  const erased = new Set(listed.filter(({ owner }) => owner.email === erasedPerson.email).map(({ id }) => id));
  expect(ids.filter((id) => erased.has(id))).toEqual(ids.filter((_id, index) => index % 2 === 0));
}, 180_000);

test.each([
  ["ada", "", "email"],
  [erasedPerson.email, "", "email"],
  [ada.email, "nothing 1", "page_token"],
  [ada.email, 'events {"$gt":1}', "page_token"],
  [ada.email, "stream -1", "page_token"],
])(
  "refuses to erase %s with the page token %j, names the field %s, and records no history entry",
  async (email, pageToken, field) => {
    const registry = await openTestRegistry();
    const storeId = await createTestStore(registry);
    await expect(registry.persons.erasePerson({ email, pageToken }, inStore(storeId))).rejects.toThrow(field);
    await expect(registry.persons.erasePerson({ email: ada.email }, inStore("sto_none"))).rejects.toThrow(
      "no such store",
    );
    const { entries } = await registry.inspection.listStoreHistory({}, inStore(storeId));
    expect(entries.map(({ action }) => action)).not.toContain("person.erased");
  },
);
