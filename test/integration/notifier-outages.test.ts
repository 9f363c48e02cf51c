import { describe, expect, test } from "vitest";
import { streamName } from "#shared/nats/event-stream.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { openTestRegistry, startTestRegistry } from "../harness/registry-fixture.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { startTestNats } from "../harness/test-nats.ts";
import {
  history,
  issue,
  issueWithHistory,
  launchNotifier,
  nextPull,
  openNotifierRig,
  openReceiver,
  outcomes,
  soon,
  startNotifier,
  streamedCount,
  times,
  untilAllSettled,
} from "./notifier-rig.ts";

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
