import { createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { eventSubject, partitionOf, streamName } from "#shared/nats/event-stream.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { inStore } from "../harness/in-store.ts";
import { listedJson } from "../harness/public-certificate.ts";
import { openTestRegistry, startTestRegistry } from "../harness/registry-fixture.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { createStoreWithWebhook, createTestStore } from "../harness/test-stores.ts";
import {
  history,
  issue,
  issueWithHistory,
  launchNotifier,
  never,
  nextPull,
  openNotifierRig,
  openReceiver,
  outcomes,
  soon,
  startNotifier,
  streamedCount,
  times,
  unsettledCount,
  untilAllSettled,
} from "./notifier-rig.ts";

// Concurrent, because the tests mostly wait for timeouts and retries.
describe.concurrent("the notifier", { timeout: 180_000 }, () => {
  test("signs and delivers an issued event once, even if it is published again, and records the outcome", async (context) => {
    const rig = await openNotifierRig(context);
    const { registry, connection } = rig;
    const receiver = await openReceiver(rig);
    const { storeId, url } = receiver;
    const { secret } = await registry.admin.setWebhook({ url, createSecret: true }, inStore(storeId));
    await startNotifier(rig);
    const published = connection.subscribe("certificates.>", { max: 1 })[Symbol.asyncIterator]().next();
    await connection.flush();
    await issue(rig, storeId);
    await untilAllSettled(rig);
    // Simulates a relay that publishes the event again after it was settled and the duplicate window has passed.
    const { subject, data } = (await published).value;
    await connection.jetstream().publish(subject, data);
    await untilAllSettled(rig);
    expect(receiver.requests).toHaveLength(1);
    const { head, body } = receiver.requests[0] ?? { head: "", body: Buffer.alloc(0) };
    const json = await listedJson(registry, storeId);
    const { store } = await registry.admin.getStore({}, inStore(storeId));
    expect(body.toString()).toBe(
      `{"version":2,"event":"issued","shop":"${store?.shop}",` +
        `"occurredAt":"${JSON.parse(json).updatedAt}","certificate":${json}}`,
    );
    const digest = createHmac("sha256", secret).update(body).digest("hex");
    expect(head).toContain(`X-Service-Signature: sha256=${digest}`);
    const recorded = await rig.deliveries.find().toArray();
    expect(recorded).toMatchObject([
      { store: storeId, outcome: { kind: "delivered", httpStatus: 204, remoteAddress: "127.0.0.1" } },
    ]);
    expect(head).toContain(`X-Service-Delivery: ${recorded[0]?._id}\r\n`);
  });

  test("removes an undecodable message from the stream and delivers the messages after it", async (context) => {
    const rig = await openNotifierRig(context);
    const receiver = await openReceiver(rig);
    await startNotifier(rig);
    const subject = eventSubject(receiver.storeId, EventType.ISSUED, "evt_undecodable");
    await rig.connection.jetstream().publish(subject, "hello");
    const certificates = await issue(rig, receiver.storeId);
    await untilAllSettled(rig);
    expect(receiver.certificates()).toEqual(certificates);
  });

  test("finishes deliveries in flight when it stops and leaves waiting messages to another replica", async (context) => {
    const rig = await openNotifierRig(context);
    const reply = Promise.withResolvers<void>();
    const receiver = await openReceiver(rig, () => reply.promise);
    const first = await startNotifier(rig, { NOTIFIER_SHUTDOWN_GRACE_MS: "20000" });
    const certificates = await issue(rig, receiver.storeId, 30);
    await soon(() => expect(receiver.requests).toHaveLength(2));
    const stopped = first.stop();
    await first.naksFor("stopping");
    await first.reports("stopping");
    reply.resolve();
    await stopped;
    expect(receiver.requests).toHaveLength(2);
    expect(await outcomes(rig, receiver.storeId)).toEqual(times(2, "delivered"));
    await startNotifier(rig);
    await untilAllSettled(rig);
    expect(receiver.certificates().toSorted()).toEqual(certificates.toSorted());
    expect(await outcomes(rig, receiver.storeId)).toEqual(times(30, "delivered"));
  });

  test("records deliveries that exceed its shutdown grace period as interrupted, and does not repeat them", async (context) => {
    const rig = await openNotifierRig(context);
    let reply: () => unknown = never;
    const receiver = await openReceiver(rig, () => reply());
    const first = await startNotifier(rig);
    const [interrupted = ""] = await issue(rig, receiver.storeId);
    await soon(() => expect(receiver.requests).toHaveLength(1));
    await first.stop();
    const recorded = await rig.deliveries.findOne({ certificate: interrupted });
    expect(recorded?.outcome).toMatchObject({ kind: "interrupted", httpStatus: 0 });
    reply = () => undefined;
    await startNotifier(rig);
    const [next] = await issue(rig, receiver.storeId);
    await untilAllSettled(rig);
    expect(receiver.certificates()).toEqual([interrupted, next]);
  });

  test("has at most twice as many messages in progress as it has slots, even if many stores have backlogs", async (context) => {
    const rig = await openNotifierRig(context);
    const receiver = await openReceiver(rig, never);
    const notifier = await startNotifier(rig, { NOTIFIER_CONCURRENCY_MAX: "32" });
    const stores = await Promise.all(
      times(40, receiver.url).map((url) => createStoreWithWebhook(rig.registry, { url })),
    );
    // One after the other: 40 changes at once are refused on a busy machine.
    for (const { storeId } of stores) await issue(rig, storeId, 16);
    await notifier.naksFor("overloaded");
    let most = 0;
    // Observes the notifier until it has sent as many negative acknowledgements as the stream has messages, and was
    // seen with more messages than slots: a busy machine looks rarely.
    await soon(async () => {
      most = Math.max(most, await notifier.inProgress());
      expect(await notifier.nakCount("overloaded")).toBeGreaterThanOrEqual(640);
      expect(most).toBeGreaterThan(32);
    });
    await soon(async () => expect(await streamedCount(rig)).toBe(640));
    expect(most).toBeLessThanOrEqual(64);
    // All slow stores together may use a quarter of the slots, and all stores of unknown latency an eighth.
    await soon(async () => expect(await rig.deliveries.countDocuments()).toBe(12));
  });

  test("does not delay a store while another store in its partition has a hanging receiver and a backlog", async (context) => {
    const rig = await openNotifierRig(context);
    const { registry } = rig;
    const hanging = await openReceiver(rig, never);
    const healthy = await openReceiver(rig, () => delay(20));
    let other = "";
    while (other === "" || partitionOf(other) !== partitionOf(hanging.storeId)) other = await createTestStore(registry);
    await registry.admin.setWebhook({ url: healthy.url }, inStore(other));
    await startNotifier(rig, { NOTIFIER_CONCURRENCY_MAX: "64" });
    await issue(rig, hanging.storeId, 300);
    await soon(() => expect(hanging.requests).toHaveLength(2));
    await issue(rig, other, 20);
    // The requests to the hanging receiver do not time out, so they are still in flight below.
    await soon(() => expect(healthy.requests).toHaveLength(20));
    expect(hanging.requests).toHaveLength(2);
    expect(await outcomes(rig, hanging.storeId)).toEqual(times(2, null));
    // The relay publishes only the store window of 16 events; events remain in the outbox until they are settled.
    await soon(async () => expect(await streamedCount(rig)).toBe(16));
    await soon(async () => expect(await unsettledCount(rig)).toBe(300));
  });

  test("delivers each event of a burst once, in the order of its certificate's changes, without pauses", async (context) => {
    const rig = await openNotifierRig(context);
    const receiver = await openReceiver(rig, () => delay(5));
    const notifier = await startNotifier(rig);
    const certificates = await issueWithHistory(rig, receiver.storeId, 60);
    await soon(() => expect(receiver.requests).toHaveLength(300));
    await untilAllSettled(rig);
    for (const id of certificates) expect(receiver.eventsOf(id)).toEqual(history);
    expect(await outcomes(rig, receiver.storeId)).toEqual(times(300, "delivered"));
    // A negative acknowledgement would cause a pause.
    expect(await notifier.nakCount()).toBe(0);
  });
});

// Concurrent, because the tests mostly wait for timeouts and retries.
describe.concurrent("the notifier during an outage", { timeout: 180_000 }, () => {
  test("waits for the registry and for NATS, names the missing service in its readiness response, and then delivers", async (context) => {
    const nats = await startTestNats(context.onTestFinished);
    const database = await openTestDatabase(context.onTestFinished);
    await nats.stop();
    const port = await freePort();
    const [natsUrl, address] = [nats.url, `127.0.0.1:${port}`];
    const notifier = await launchNotifier({ context, natsUrl, address });
    await notifier.reports("waiting for the registry");
    const env = { REGISTRY_PORT: String(port) };
    const first = await startTestRegistry({ database, natsUrl, env });
    await notifier.reports("waiting for NATS JetStream");
    await nats.start();
    await notifier.reports("ok");
    await first.stop();
    await notifier.reports("waiting for the registry");
    const registry = await openTestRegistry({ database, natsUrl, env }, context.onTestFinished);
    // In this process, the test's calls share the notifier's gRPC connection, and fail at once until it is restored.
    await notifier.reports("ok");
    const receiver = await openReceiver({ context, registry });
    await issue({ registry }, receiver.storeId);
    await soon(() => expect(receiver.requests).toHaveLength(1));
  });

  test("resumes delivering after a crash of NATS and after the loss of the stream", async (context) => {
    const nats = await startTestNats(context.onTestFinished);
    const rig = await openNotifierRig(context, nats.url);
    const receiver = await openReceiver(rig);
    const notifier = await startNotifier(rig);
    await nats.crash();
    await notifier.reports("waiting for NATS JetStream");
    const [duringOutage] = await issue(rig, receiver.storeId);
    await nats.start();
    await notifier.reports("ok");
    await soon(() => expect(receiver.certificates()).toEqual([duringOutage]));
    await untilAllSettled(rig);
    await (await rig.connection.jetstreamManager()).streams.delete(streamName);
    const [afterLoss] = await issue(rig, receiver.storeId);
    await soon(() => expect(receiver.certificates()).toEqual([duringOutage, afterLoss]));
  });

  test("becomes ready again after NATS has lost its data, without waiting for an event", async (context) => {
    const nats = await startTestNats(context.onTestFinished);
    const rig = await openNotifierRig(context, nats.url);
    const notifier = await startNotifier(rig);
    await nats.stop();
    await nats.deleteData();
    await notifier.reports("waiting for NATS JetStream");
    await nats.start();
    await soon(async () => expect(await streamedCount(rig)).toBe(0));
    await notifier.reports("ok");
  });

  test("loses no event, repeats no POST and keeps the order while the registry is temporarily unreachable", async (context) => {
    const rig = await openNotifierRig(context);
    const reply = Promise.withResolvers<void>();
    const receiver = await openReceiver(rig, () => reply.promise);
    const notifier = await startNotifier(rig);
    // A new pull request is pending, so the notifier receives the first event but cannot claim it.
    await nextPull(rig, receiver.storeId);
    rig.proxy.cut();
    const [id = ""] = await issueWithHistory(rig, receiver.storeId);
    await notifier.naksFor("registry_unavailable");
    await notifier.reports("waiting for the registry");
    expect(await outcomes(rig, receiver.storeId)).toEqual([]);
    rig.proxy.heal();
    await soon(() => expect(receiver.requests).toHaveLength(1));
    rig.proxy.cut();
    reply.resolve();
    await notifier.reports("waiting for the registry");
    // Two refused connections show that the notifier retries before the proxy is healed.
    const refusedBefore = rig.proxy.refusedCount();
    await soon(() => expect(rig.proxy.refusedCount()).toBeGreaterThanOrEqual(refusedBefore + 2));
    expect(await outcomes(rig, receiver.storeId)).toEqual([null]);
    rig.proxy.heal();
    await untilAllSettled(rig);
    expect(receiver.eventsOf(id)).toEqual(history);
    expect(await outcomes(rig, receiver.storeId)).toEqual(times(5, "delivered"));
  });

  test("sends an event only once even if the responses to its claims are lost", async (context) => {
    const rig = await openNotifierRig(context);
    const receiver = await openReceiver(rig);
    const notifier = await startNotifier(rig);
    // Makes the notifier connect before responses are lost.
    const [before] = await issue(rig, receiver.storeId);
    await untilAllSettled(rig);
    rig.proxy.loseReplies();
    const [ambiguous = ""] = await issue(rig, receiver.storeId);
    const claim = { certificate: ambiguous };
    await soon(async () => expect(await rig.deliveries.findOne(claim)).toMatchObject({ outcome: null }));
    expect(receiver.certificates()).toEqual([before]);
    rig.proxy.heal();
    await soon(() => expect(receiver.certificates()).toEqual([before, ambiguous]));
    await untilAllSettled(rig);
    expect(await outcomes(rig, receiver.storeId)).toEqual(times(2, "delivered"));
    expect(receiver.certificates()).toEqual([before, ambiguous]);
    expect(await notifier.nakCount()).toBe(0);
  });
});
