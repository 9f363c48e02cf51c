import { randomBytes } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { sessionHeader } from "#shared/rpc/scope-metadata.ts";
import { reportsPerDayMax } from "../../services/registry/certificates/report-limit.ts";
import { admissionTimesOf } from "../harness/admitted-requests.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem, issueOne } from "../harness/issue-items.ts";
import { linkTokenOf } from "../harness/link-token-of.ts";
import { metricValues } from "../harness/metric-values.ts";
import { openProxiedRegistry } from "../harness/proxied-registry.ts";
import { refusalOf } from "../harness/refusal-of.ts";
import { openSettingsSession } from "../harness/settings-session.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { createKeyedStore, createTestStore } from "../harness/test-stores.ts";

const nats = await startTestNats();
const registry = await openProxiedRegistry({
  natsUrl: nats.url,
  // Each read connection takes a while to open, and a connection that waits 30 s for a reply is closed.
  env: { REGISTRY_LIST_CONCURRENCY: "5" },
});
const { database, proxy } = registry;
afterEach(() => proxy.heal());
// The calls that an earlier test has held raise the time that a list is expected to take, and with it the number of
// waiting calls that are refused.
beforeEach(async () => {
  const { list } = await newStore();
  for (let call = 0; call < 8; call++) await list();
});

// The default of REGISTRY_LIST_CONCURRENCY_PER_STORE, the numbers of connections (services/registry/run.ts), and bounds
// from services/registry/create-shedders.ts.
const perStoreMax = 4;
const readConnections = 34;
const changeConnections = 32;
const sessionCallsMax = 12;
const sessionCallsPerStoreMax = 4;
const lookupsMax = 4;
const lookupsPerCertificateMax = 2;
const dryRunsMax = 2;
const searchesMax = 2;

const advanceClock = "findAndModify stores";
const findCertificates = "find certificates";
const readStore = "aggregate stores";
const insertStore = "insert stores";

async function newStore() {
  const { storeId, keySha256 } = await createKeyedStore(registry);
  const list = (signal?: AbortSignal) =>
    registry.edge.handleList({ keySha256, admissionId: randomBytes(16), page: { limit: 1 } }, signal && { signal });
  // With this request, the registry learns the key's store.
  await list();
  return { storeId, list };
}

const placesOf = async (storeId: string) =>
  admissionTimesOf((await database.collections.access.findOne({ _id: storeId }))?.admitted);

/** Waits until the store's rate-limit window contains `count` admissions. */
const untilPlaces = (storeId: string, count: number) =>
  eventually(async () => expect(await placesOf(storeId)).toHaveLength(count));

// Held calls raise the time that a call is expected to take, and calls with little time are then refused.
const patientMs = 600_000;

type Work = "lists" | "changes" | "lookups" | "dry_runs" | "searches" | "sessions" | "session_changes";

const load = (name: "in_flight" | "waiting", work: Work) =>
  metricValues(registry.operationsUrl, `registry_load_${name}`).then((values) => values[`work="${work}"`]);

/** Waits until the queue for this kind of work contains `count` calls. */
const untilWaiting = (work: Work, count: number) =>
  eventually(async () => expect(await load("waiting", work)).toBe(count));

test("admits a bounded number of a store's requests at a time, and counts no cancelled request against the rate limit", async () => {
  const { storeId, list } = await newStore();
  proxy.hold(findCertificates);
  const working = Array.from({ length: perStoreMax }, () => list());
  const leaving = new AbortController();
  await untilPlaces(storeId, 1 + perStoreMax);
  const left = Promise.allSettled(Array.from({ length: 20 }, () => list(leaving.signal)));
  await untilWaiting("lists", 20);
  expect(await load("in_flight", "lists")).toBe(perStoreMax);
  leaving.abort();
  await untilWaiting("lists", 0);
  proxy.heal();
  await Promise.all([...working, left]);
  await list();
  expect(await placesOf(storeId)).toHaveLength(1 + perStoreMax + 1);
});

test("starts a store's request immediately while another store's requests wait", async () => {
  const [busy, other] = [await newStore(), await newStore()];
  proxy.hold(findCertificates);
  const requests = Array.from({ length: 30 }, () => busy.list());
  await untilWaiting("lists", 30 - perStoreMax);
  requests.push(other.list());
  await untilPlaces(other.storeId, 2);
  await untilPlaces(busy.storeId, 1 + perStoreMax);
  proxy.heal();
  await Promise.all(requests);
});

/** Makes calls whose command is held, until all connections of a pool are in use. @param call sends the command once */
async function occupyConnections(command: string, connectionCount: number, call: () => Promise<unknown>) {
  const before = proxy.count(command);
  const calls: Promise<unknown>[] = [];
  let running = 0;
  const end = () => void running--;
  await eventually(() => {
    // A call that gets no connection in time fails, and another takes its place.
    for (; running < connectionCount; running++) calls.push(call().then(end, end));
    expect(proxy.count(command) - before).toBeGreaterThanOrEqual(connectionCount);
  });
  return { ended: Promise.all(calls) };
}

test("renews the relay's lease, grants claims and creates stores while all read connections are in use", async () => {
  const leaseEnd = async () => (await database.collections.leases.findOne({}))?.lease?.until ?? 0;
  await eventually(async () => expect(await leaseEnd()).toBeGreaterThan(0));
  const { storeId } = await newStore();
  proxy.hold(findCertificates);
  const { ended } = await occupyConnections(findCertificates, readConnections, () =>
    registry.inspection.getCertificate({ by: { case: "certificateId", value: "crt_none" } }, inStore(storeId)),
  );
  const end = await leaseEnd();
  await createTestStore(registry);
  const claim = { eventId: "evt_1", storeId, certificateId: "crt_1", type: 1 };
  expect((await registry.notifier.claimDeliveries({ notifierId: "test", claims: [claim] })).results).toHaveLength(1);
  await eventually(async () => expect(await leaseEnd()).toBeGreaterThan(end));
  proxy.heal();
  await ended;
});

test("refuses reports over the limit, lists them and the store's history, and shows its logo, while all connections for changes are in use", async () => {
  const { storeId } = await newStore();
  const linkToken = await linkTokenOf(registry, await issueOne(registry, storeId));
  const patient = { timeoutMs: patientMs };
  const report = () => registry.verification.reportProblem({ linkToken, content: "It is torn." }, patient);
  for (let count = 0; count < reportsPerDayMax; count++) await report();
  const content = Buffer.from("RIFF\0\0\0\0WEBPVP8 ");
  const headers = await openSettingsSession(registry, storeId);
  const { store } = await registry.settings.stores.setLogo({ content, width: 60, height: 20 }, { headers });
  const logoId = store?.logo?.id ?? "";
  proxy.hold(insertStore);
  const { ended } = await occupyConnections(insertStore, changeConnections, () =>
    registry.admin.createStore({ shop: `${randomBytes(6).toString("hex")}.example.test`, plan: Plan.PRO }),
  );
  expect(await refusalOf(report())).toMatchObject({ code: "rate_limited" });
  const { reports } = await registry.inspection.listReports({}, { ...inStore(storeId), ...patient });
  expect(reports).toHaveLength(reportsPerDayMax);
  const { entries } = await registry.inspection.listStoreHistory({}, { ...inStore(storeId), ...patient });
  expect(entries.map(({ action }) => action)).toContain("logo.set");
  expect(Buffer.from((await registry.verification.getLogo({ logoId }, patient)).content)).toEqual(content);
  proxy.heal();
  await ended;
});

test("limits the concurrent look-ups for verification pages, with a smaller limit for each certificate", async () => {
  proxy.hold(findCertificates);
  const before = proxy.count(findCertificates);
  const look = (certificateId: string) => registry.verification.recordVerification({ certificateId });
  const calls = Array.from({ length: 10 }, () => look("crt_same"));
  await untilWaiting("lookups", 10 - lookupsPerCertificateMax);
  calls.push(...Array.from({ length: 20 }, (_, index) => look(`crt_${index}`)));
  const ended = Promise.allSettled(calls);
  await untilWaiting("lookups", 30 - lookupsMax);
  await eventually(() => expect(proxy.count(findCertificates)).toBe(before + lookupsMax));
  proxy.heal();
  await ended;
  expect(proxy.count(findCertificates)).toBe(before + 30);
});

test.each([
  ["searches", { search: "vase" }],
  ["long pages", { limit: 101, asJson: true }],
])("limits the concurrent %s, which take no places of lists", async (_what, request) => {
  const stores = await Promise.all([newStore(), newStore(), newStore()]);
  proxy.hold(findCertificates);
  const searches = stores.flatMap(({ storeId }) =>
    Array.from({ length: 5 }, () => registry.inspection.findCertificates(request, inStore(storeId))),
  );
  const ended = Promise.allSettled(searches);
  await untilWaiting("searches", 15 - searchesMax);
  expect(await load("in_flight", "lists")).toBe(0);
  proxy.heal();
  await ended;
});

test("limits the calls in sessions, per store and in total, and answers another store's list, change and session meanwhile", async () => {
  const [busy, other] = [await newStore(), await newStore()];
  const [hostile, ...crowd] = await Promise.all(
    [busy, ...(await Promise.all([newStore(), newStore(), newStore()]))].map(({ storeId }) =>
      openSettingsSession(registry, storeId),
    ),
  );
  const session = await openSettingsSession(registry, other.storeId);
  const findSession = () => registry.settings.session.getSession({}, { headers: session });
  await findSession();
  proxy.hold("find deliveries");
  // One that gets no connection in time fails, and the next one takes its place.
  const readLog = (headers: Record<string, string> | undefined) =>
    registry.settings.inspection
      .listDeliveries({}, { headers: headers ?? {}, timeoutMs: patientMs })
      .catch(() => undefined);
  const untilOccupied = (places: number) =>
    eventually(async () => {
      expect(await load("in_flight", "sessions")).toBe(places);
      expect(await load("waiting", "sessions")).toBeGreaterThan(0);
    });
  const reads = Array.from({ length: 40 }, () => readLog(hostile));
  await untilOccupied(sessionCallsPerStoreMax);
  await findSession();
  await other.list();
  await registry.issuing.issueCertificates({ items: [issueItem()] }, inStore(other.storeId));
  reads.push(...crowd.flatMap((headers) => Array.from({ length: 10 }, () => readLog(headers))));
  await untilOccupied(sessionCallsMax);
  proxy.heal();
  await Promise.all(reads);
  expect(await load("in_flight", "sessions")).toBe(0);
});

test("searches and changes in sessions keep no place of the other calls while they wait", async () => {
  const session = await openSettingsSession(registry, (await newStore()).storeId);
  const calls = registry.settings;
  const options = { headers: session, timeoutMs: patientMs };
  proxy.hold(findCertificates);
  const count = sessionCallsPerStoreMax + 2;
  const searches = Array.from({ length: count }, () => calls.inspection.findCertificates({ search: "vase" }, options));
  const ended = Promise.allSettled(searches);
  await untilWaiting("searches", count - 1);
  expect(await load("in_flight", "sessions")).toBe(0);
  await calls.session.getSession({}, options);
  proxy.heal();
  await ended;
  proxy.hold(advanceClock);
  const before = proxy.count(advanceClock);
  const changes = Array.from({ length: count }, () => calls.stores.updateSettings({ language: "de" }, options));
  const changed = Promise.allSettled(changes);
  await untilWaiting("session_changes", count - sessionCallsPerStoreMax);
  await eventually(() => expect(proxy.count(advanceClock)).toBe(before + sessionCallsPerStoreMax));
  expect(await load("in_flight", "sessions")).toBe(0);
  await calls.session.getSession({}, options);
  proxy.heal();
  await changed;
});

test("sign-ins and sign-outs keep no place of the other calls while they write, and a store has few places for it", async () => {
  const { storeId } = await newStore();
  const session = await openSettingsSession(registry, storeId);
  const calls = registry.settings.session;
  const count = sessionCallsPerStoreMax + 2;
  const sessions = await Promise.all(Array.from({ length: count }, () => openSettingsSession(registry, storeId)));
  proxy.hold("update sessions");
  const signOuts = sessions.map((headers) =>
    calls.closeSession({ sessionToken: headers[sessionHeader] ?? "" }, { timeoutMs: patientMs }),
  );
  const ended = Promise.allSettled(signOuts);
  await untilWaiting("session_changes", count - sessionCallsPerStoreMax);
  await eventually(async () => expect(await load("in_flight", "sessions")).toBe(0));
  await calls.getSession({}, { headers: session, timeoutMs: patientMs });
  proxy.heal();
  expect(new Set((await ended).map(({ status }) => status))).toEqual(new Set(["fulfilled"]));
  proxy.hold("delete settingsLinks");
  const signIns = Promise.allSettled(Array.from({ length: count }, () => openSettingsSession(registry, storeId)));
  await untilWaiting("session_changes", count - sessionCallsPerStoreMax);
  await eventually(async () => expect(await load("in_flight", "sessions")).toBe(0));
  await calls.getSession({}, { headers: session, timeoutMs: patientMs });
  proxy.heal();
  await signIns;
});

test("counts a week's events with one connection", async () => {
  const { storeId } = await newStore();
  const counting = "aggregate deliveries";
  proxy.hold(counting);
  const before = proxy.count(counting);
  const events = [EventType.ISSUED, EventType.VERIFIED, EventType.TRANSFERRED, EventType.REPORTED];
  const week = registry.inspection.countWeek({ since: timestampFromDate(new Date()), events }, inStore(storeId));
  await eventually(() => expect(proxy.count(counting)).toBe(before + 1));
  proxy.heal();
  expect((await week).weeks).toHaveLength(events.length);
  expect(proxy.count(counting)).toBe(before + 1);
});

test("commits changes while dry runs wait for the database", async () => {
  const [{ storeId }, other] = [await newStore(), await newStore()];
  proxy.hold(readStore);
  const before = proxy.count(readStore);
  const dryRun = (of: string) =>
    registry.issuing.issueCertificates({ items: [issueItem()], dryRun: true }, inStore(of));
  const runs = [storeId, other.storeId].flatMap((id) => Array.from({ length: 15 }, () => dryRun(id)));
  await untilWaiting("dry_runs", 30 - dryRunsMax);
  await eventually(() => expect(proxy.count(readStore)).toBe(before + dryRunsMax));
  await registry.issuing.issueCertificates({ items: [issueItem()] }, inStore(storeId));
  proxy.heal();
  await Promise.all(runs);
});

test("does not commit the changes of calls that are cancelled while they wait", async () => {
  const { storeId } = await newStore();
  proxy.hold(advanceClock);
  const first = registry.issuing.issueCertificates({ items: [issueItem()] }, inStore(storeId));
  const leaving = new AbortController();
  await eventually(async () => expect(await load("in_flight", "changes")).toBe(1));
  const left = Array.from({ length: 10 }, () =>
    registry.issuing.issueCertificates({ items: [issueItem()] }, { ...inStore(storeId), signal: leaving.signal }),
  );
  const ended = Promise.allSettled(left);
  await untilWaiting("changes", 10);
  leaving.abort();
  await ended;
  proxy.heal();
  await first;
  await eventually(async () => expect(await load("in_flight", "changes")).toBe(0));
  expect(await load("waiting", "changes")).toBe(0);
  expect(await database.collections.certificates.countDocuments({ store: storeId })).toBe(1);
});
