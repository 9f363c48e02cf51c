import { createHmac } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "nats";
import { afterAll, describe, expect, type TestContext, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { eventName } from "#shared/events/event-name.ts";
import { eventSubject, partitionOf, streamName } from "#shared/nats/event-stream.ts";
import { createLogger } from "#shared/observe/logger.ts";
import { systemClock } from "#shared/time/clock.ts";
import { makeServerCertificate } from "../../deploy/local/receiver/self-signed.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { startNats } from "../../deploy/local/servers/nats-server.ts";
import { run as runNotifier } from "../../services/notifier/run.ts";
import { startReceiverFixture } from "../../services/notifier/webhook/receiver-fixture.ts";
import { CommitQueue } from "../../services/registry/certificates/commit-queue.ts";
import { issueChange } from "../../services/registry/certificates/issue-certificates.ts";
import { MongoLedger } from "../../services/registry/mongo/mongo-ledger.ts";
import { startCutProxy } from "../harness/cut-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { issueItem } from "../harness/issue-items.ts";
import { localNotifierConfig } from "../harness/local-notifier.ts";
import { metricValues } from "../harness/metric-values.ts";
import { parseCertificate } from "../harness/public-certificate.ts";
import { startTestRegistry, testVerifyBaseUrl } from "../harness/registry-fixture.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { createTestStore } from "../harness/test-stores.ts";

const folder = await mkdtemp(join(tmpdir(), "notifier-tests-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
const certificate = await makeServerCertificate();
await writeFile(join(folder, "ca.pem"), certificate.caPem);

function closing<T extends { close(): Promise<void> }>({ onTestFinished }: TestContext, opened: T): T {
  onTestFinished(() => opened.close());
  return opened;
}

/** A registry with its database and its NATS server; notifiers reach it through the proxy. */
async function openStand(context: TestContext, givenNats?: string) {
  const natsUrl = givenNats ?? closing(context, await startTestNats()).url;
  const registry = await startTestRegistry({ natsUrl });
  context.onTestFinished(() => registry.stop());
  const { deliveries, outbox } = registry.database.collections;
  const proxy = closing(context, await startCutProxy(registry.address));
  const options = { servers: natsUrl, maxReconnectAttempts: -1, reconnectTimeWait: 100 };
  const connection = closing(context, await connect(options));
  return { context, natsUrl, registry, deliveries, outbox, proxy, address: proxy.address, connection };
}
type Stand = Awaited<ReturnType<typeof openStand>>;
type Served = Pick<Stand, "context" | "registry">;
type Place = Pick<Stand, "context" | "natsUrl" | "address">;

/** A notifier, ready. */
async function start(stand: Place, more: Record<string, string> = {}) {
  const notifier = await launch(stand, more);
  await notifier.says("ok");
  return notifier;
}

async function launch({ context, natsUrl, address }: Place, more: Record<string, string> = {}) {
  const extraCa = { NOTIFIER_EXTRA_CA_FILE: join(folder, "ca.pem") };
  const config = localNotifierConfig({ address, natsUrl }, { ...extraCa, ...more });
  const { operationsPort, stop } = await runNotifier(config, createLogger("notifier", "silent"));
  context.onTestFinished(stop);
  const operationsUrl = `http://127.0.0.1:${operationsPort}`;
  const readiness = async () => (await fetch(`${operationsUrl}/readyz`)).text();
  const says = (reason: string) => soon(async () => expect((await readiness()).trim()).toBe(reason));
  /** Why messages were put back. */
  const naks = async () => {
    const counts = await metricValues(operationsUrl, "notifier_messages_nak_total");
    return Object.entries(counts).flatMap(([label, count]) => (count > 0 ? /"(\w+)"/.exec(label)?.[1] : []));
  };
  const putsBack = (cause: string) => soon(async () => expect(await naks()).toContain(cause));
  /** Messages that were pulled and are not answered yet. */
  const inHand = async () => Number((await metricValues(operationsUrl, "notifier_messages_in_progress"))[""]);
  return { says, naks, putsBack, inHand, stop };
}

const soon = <T>(check: () => T | Promise<T>) => eventually(check, { withinMs: 90_000 });

/** A store's receiver; it replies 204 when told to, which is at once by default. */
async function openReceiver({ context, registry }: Served, until: () => unknown = () => undefined) {
  const receiver = await startReceiverFixture(certificate, async (socket) => {
    await until();
    socket.end("HTTP/1.1 204 No Content\r\n\r\n");
  });
  context.onTestFinished(() => receiver.stop());
  const url = `https://127.0.0.1:${receiver.port}/`;
  const messages = () => receiver.requests.map(({ body }) => JSON.parse(body.toString()));
  return {
    requests: receiver.requests,
    url,
    storeId: await storeAt({ registry }, url),
    /** A certificate's events, in the order in which they came. */
    eventsOf: (id: string) => messages().flatMap((body) => (body.certificate.id === id ? body.event : [])),
    certificates: () => messages().map((body) => body.certificate.id),
  };
}

const never = () => new Promise(() => undefined);

/** A store whose messages go to this URL. */
async function storeAt({ registry }: Pick<Stand, "registry">, url: string): Promise<string> {
  const storeId = await createTestStore(registry);
  await registry.admin.setWebhook({ storeId, url });
  return storeId;
}

/** Issues so many certificates. @returns their ids */
async function issue({ registry }: Pick<Stand, "registry">, storeId: string, count = 1): Promise<string[]> {
  const items = Array.from({ length: count }, () => issueItem());
  const { results } = await registry.issuing.issueCertificates({ storeId, items });
  return results.map(({ certificateId }) => certificateId);
}

const later = [EventType.VERIFIED, EventType.TRANSFERRED, EventType.REPORTED, EventType.REVOKED];
const history = ["issued", ...later.map(eventName)];

/**
 * Issues certificates that change at once, in one transaction of the registry's own ledger, so that their events come
 * together. @returns their ids
 */
function issueWithHistory({ registry }: Stand, storeId: string, count = 1): Promise<string[]> {
  const { client, collections } = registry.database;
  const outlets = { serviceVerifyUrl: testVerifyBaseUrl, onEvents: () => undefined };
  const ledger = new MongoLedger({ client, collections, clock: systemClock, ...outlets });
  const origin = { actor: "test", isImport: false };
  const product = { id: "7001", title: "Alpine Jacket", variant: "", sku: "" };
  const buyer = { name: "Ada Example", email: "ada@example.test" };
  const issuing = issueChange(times(count, { product, buyer, order: null, expiresAt: null }), origin);
  return new CommitQueue(ledger).submit(storeId, {
    ...issuing,
    maxTimestamps: count * history.length,
    decide: (draft) => {
      issuing.decide(draft);
      for (const type of later)
        for (const issued of draft.inserted)
          draft.update({ ...issued, updatedAt: draft.nextTimestamp() }, type, {
            cause: "in_app",
            actor: "test",
          });
      return draft.inserted.map(({ id }) => id);
    },
  });
}

/** How many messages the stream holds. */
async function streamed({ connection }: Stand): Promise<number> {
  const manager = await connection.jetstreamManager();
  return (await manager.streams.info(streamName)).state.messages;
}

const unsettled = ({ outbox }: Stand) => outbox.countDocuments();

const allSettled = (stand: Stand) =>
  soon(async () => expect([await unsettled(stand), await streamed(stand)]).toEqual([0, 0]));

/** How a store's deliveries ended; null for those that have not. */
async function outcomes({ deliveries }: Stand, store: string): Promise<(string | null)[]> {
  const found = await deliveries.find({ store }).toArray();
  return found.map(({ outcome }) => outcome?.kind ?? null);
}

const times = <T>(count: number, value: T): T[] => Array(count).fill(value);

// Side by side: most of the time is spent on waiting for a fault to be noticed and to pass.
describe.concurrent("the notifier", { timeout: 180_000 }, () => {
  test("an issued event reaches the store's URL once, signed, and is recorded and settled", async (context) => {
    const stand = await openStand(context);
    const { registry, connection } = stand;
    const receiver = await openReceiver(stand);
    const { storeId, url } = receiver;
    const { secret } = await registry.admin.setWebhook({ storeId, url, createSecret: true });
    await start(stand);
    const published = connection.subscribe("certificates.>", { max: 1 })[Symbol.asyncIterator]().next();
    await connection.flush();
    await issue(stand, storeId);
    await allSettled(stand);
    // A relay that died may publish an event again after the stream has forgotten its id.
    const { subject, data } = (await published).value;
    await connection.jetstream().publish(subject, data);
    await allSettled(stand);
    expect(receiver.requests).toHaveLength(1);
    const { head, body } = receiver.requests[0] ?? { head: "", body: Buffer.alloc(0) };
    const { certificates } = await registry.edge.listCertificates({ storeId, limit: 1 });
    const json = Buffer.from(certificates[0] ?? []);
    const { store } = await registry.admin.getStore({ by: { case: "storeId", value: storeId } });
    expect(body.toString()).toBe(
      `{"version":2,"event":"issued","shop":"${store?.shop}",` +
        `"occurredAt":"${parseCertificate(json).updatedAt}","certificate":${json}}`,
    );
    const digest = createHmac("sha256", secret).update(body).digest("hex");
    expect(head).toContain(`X-Service-Signature: sha256=${digest}`);
    const recorded = await stand.deliveries.find().toArray();
    expect(recorded).toMatchObject([
      { store: storeId, outcome: { kind: "delivered", httpStatus: 204, remoteAddress: "127.0.0.1" } },
    ]);
    expect(head).toContain(`X-Service-Delivery: ${recorded[0]?._id}\r\n`);
  });

  test("it waits for NATS and for the registry, in any order, and says so", async (context) => {
    const messages = closing(context, await startTestNats());
    const database = closing(context, await openTestDatabase());
    await messages.stop();
    const port = await freePort();
    const [natsUrl, address] = [messages.url, `127.0.0.1:${port}`];
    const notifier = await launch({ context, natsUrl, address });
    await notifier.says("waiting for NATS JetStream");
    await messages.start();
    await notifier.says("waiting for the registry");
    const env = { REGISTRY_PORT: String(port) };
    const first = await startTestRegistry({ database, natsUrl, env });
    await notifier.says("ok");
    await first.stop();
    await notifier.says("waiting for the registry");
    const registry = await startTestRegistry({ database, natsUrl, env });
    context.onTestFinished(() => registry.stop());
    const receiver = await openReceiver({ context, registry });
    await notifier.says("ok");
    await issue({ registry }, receiver.storeId);
    await soon(() => expect(receiver.requests).toHaveLength(1));
  });

  test("when NATS is gone and comes back, and even lost everything, it goes on", async (context) => {
    const [dataDir, logFile] = [join(folder, "nats"), join(folder, "nats.log")];
    const env = { ...process.env, NATS_URL: undefined };
    const options = { dataDir, logFile, port: await freePort(), log: () => undefined, env };
    let messages = await startNats(options);
    context.onTestFinished(() => messages.stop());
    const stand = await openStand(context, messages.url);
    const receiver = await openReceiver(stand);
    const notifier = await start(stand);
    messages.kill();
    await messages.exited;
    await notifier.says("waiting for NATS JetStream");
    const [whileAway] = await issue(stand, receiver.storeId);
    messages = await startNats(options);
    await notifier.says("ok");
    await soon(() => expect(receiver.certificates()).toEqual([whileAway]));
    await allSettled(stand);
    await (await stand.connection.jetstreamManager()).streams.delete(streamName);
    const [afterLoss] = await issue(stand, receiver.storeId);
    await soon(() => expect(receiver.certificates()).toEqual([whileAway, afterLoss]));
  });

  test("what cannot be read is dropped and does not block its partition", async (context) => {
    const stand = await openStand(context);
    const receiver = await openReceiver(stand);
    await start(stand);
    const subject = eventSubject(receiver.storeId, EventType.ISSUED);
    await stand.connection.jetstream().publish(subject, "hello");
    const certificates = await issue(stand, receiver.storeId);
    await allSettled(stand);
    expect(receiver.certificates()).toEqual(certificates);
  });

  test("a registry that fails for a while loses no event, repeats no POST and changes no order", async (context) => {
    const stand = await openStand(context);
    const reply = Promise.withResolvers<void>();
    const receiver = await openReceiver(stand, () => reply.promise);
    const notifier = await start(stand);
    // The notifier has asked for messages already, so it gets these and cannot claim them.
    stand.proxy.cut();
    const [id = ""] = await issueWithHistory(stand, receiver.storeId);
    await notifier.putsBack("registry_unavailable");
    await notifier.says("waiting for the registry");
    expect(await outcomes(stand, receiver.storeId)).toEqual([]);
    stand.proxy.heal();
    await soon(() => expect(receiver.requests).toHaveLength(1));
    stand.proxy.cut();
    reply.resolve();
    await notifier.says("waiting for the registry");
    // Long enough for the outcome to be refused several times.
    await delay(1_500);
    expect(await outcomes(stand, receiver.storeId)).toEqual([null]);
    stand.proxy.heal();
    await allSettled(stand);
    expect(receiver.eventsOf(id)).toEqual(history);
    expect(await outcomes(stand, receiver.storeId)).toEqual(times(5, "delivered"));
  });

  test("a claim that was stored though its answer was lost is never sent", async (context) => {
    const stand = await openStand(context);
    const receiver = await openReceiver(stand);
    const notifier = await start(stand);
    // The notifier has its connection from now on.
    const [before] = await issue(stand, receiver.storeId);
    await allSettled(stand);
    stand.proxy.loseReplies();
    const [ambiguous = ""] = await issue(stand, receiver.storeId);
    const claim = { certificate: ambiguous };
    await soon(async () => expect(await stand.deliveries.findOne(claim)).toMatchObject({ outcome: null }));
    stand.proxy.heal();
    await notifier.putsBack("registry_unavailable");
    const [clear] = await issue(stand, receiver.storeId);
    await notifier.putsBack("in_flight");
    await soon(() => expect(receiver.certificates()).toEqual([before, clear]));
    await soon(async () => expect(await unsettled(stand)).toBe(1));
    expect(await stand.deliveries.findOne(claim)).toMatchObject({ outcome: null });
    await stand.deliveries.updateOne(claim, { $set: { claimedAt: new Date(Date.now() - 61_000) } });
    await allSettled(stand);
    const outcome = (await stand.deliveries.findOne(claim))?.outcome;
    expect(outcome).toMatchObject({ kind: "interrupted", httpStatus: 0 });
    expect(receiver.certificates()).toEqual([before, clear]);
  });

  test("stopping finishes what is under way and leaves the rest to another replica", async (context) => {
    const stand = await openStand(context);
    const reply = Promise.withResolvers<void>();
    const receiver = await openReceiver(stand, () => reply.promise);
    const first = await start(stand, { NOTIFIER_SHUTDOWN_GRACE_MS: "20000" });
    const certificates = await issue(stand, receiver.storeId, 30);
    await soon(() => expect(receiver.requests).toHaveLength(2));
    const stopped = first.stop();
    await first.putsBack("stopping");
    await first.says("stopping");
    reply.resolve();
    await stopped;
    expect(receiver.requests).toHaveLength(2);
    expect(await outcomes(stand, receiver.storeId)).toEqual(times(2, "delivered"));
    await start(stand);
    await allSettled(stand);
    expect(receiver.certificates().toSorted()).toEqual(certificates.toSorted());
    expect(await outcomes(stand, receiver.storeId)).toEqual(times(30, "delivered"));
  });

  test("what does not end within the grace period is recorded as interrupted and not sent again", async (context) => {
    const stand = await openStand(context);
    let reply: () => unknown = never;
    const receiver = await openReceiver(stand, () => reply());
    const first = await start(stand);
    const [interrupted = ""] = await issue(stand, receiver.storeId);
    await soon(() => expect(receiver.requests).toHaveLength(1));
    await first.stop();
    const recorded = await stand.deliveries.findOne({ certificate: interrupted });
    expect(recorded?.outcome).toMatchObject({ kind: "interrupted", httpStatus: 0 });
    reply = () => undefined;
    await start(stand);
    const [next] = await issue(stand, receiver.storeId);
    await allSettled(stand);
    expect(receiver.certificates()).toEqual([interrupted, next]);
  });

  test("no more messages are in hand than twice the slots, whatever the stores' backlogs", async (context) => {
    const stand = await openStand(context);
    const receiver = await openReceiver(stand, never);
    // Nothing ends while it is looked at, however slow the machine is.
    const slots = { NOTIFIER_CONCURRENCY_MAX: "32", NOTIFIER_REPLY_TIMEOUT_MS: "60000" };
    const notifier = await start(stand, slots);
    const stores = await Promise.all(times(40, receiver.url).map((url) => storeAt(stand, url)));
    await Promise.all(stores.map((storeId) => issue(stand, storeId, 16)));
    await notifier.putsBack("overloaded");
    let most = 0;
    for (let look = 0; look < 30; look++) {
      most = Math.max(most, await notifier.inHand());
      await delay(100);
    }
    await soon(async () => expect(await streamed(stand)).toBe(640));
    expect(most).toBeGreaterThan(32);
    expect(most).toBeLessThanOrEqual(64);
    // A quarter of the slots and an eighth: to the other ones quick stores have a right.
    await soon(async () => expect(await stand.deliveries.countDocuments()).toBe(12));
  });

  test("a store whose receiver hangs, with a backlog, does not delay another one of its partition", async (context) => {
    const stand = await openStand(context);
    const { registry } = stand;
    const hanging = await openReceiver(stand, never);
    const healthy = await openReceiver(stand, () => delay(20));
    let other = "";
    while (other === "" || partitionOf(other) !== partitionOf(hanging.storeId))
      other = await createTestStore(registry);
    await registry.admin.setWebhook({ storeId: other, url: healthy.url });
    await start(stand, { NOTIFIER_CONCURRENCY_MAX: "64" });
    await issue(stand, hanging.storeId, 300);
    await soon(() => expect(hanging.requests).toHaveLength(2));
    await issue(stand, other, 20);
    // The hanging ones would hang for three times as long.
    await soon(() => expect(healthy.requests).toHaveLength(20));
    expect(hanging.requests).toHaveLength(2);
    expect(await outcomes(stand, hanging.storeId)).toEqual(times(2, null));
    // The backlog lies where it is in nobody's way.
    await soon(async () => expect(await streamed(stand)).toBe(16));
    await soon(async () => expect(await unsettled(stand)).toBe(300));
  });

  test("a store with a burst gets everything once, without pauses, each certificate's events in order", async (context) => {
    const stand = await openStand(context);
    const receiver = await openReceiver(stand, () => delay(5));
    const notifier = await start(stand);
    const certificates = await issueWithHistory(stand, receiver.storeId, 60);
    await soon(() => expect(receiver.requests).toHaveLength(300));
    await allSettled(stand);
    for (const id of certificates) expect(receiver.eventsOf(id)).toEqual(history);
    expect(await outcomes(stand, receiver.storeId)).toEqual(times(300, "delivered"));
    // A pause is what a message that was put back brings about.
    expect(await notifier.naks()).toEqual([]);
  });
});
