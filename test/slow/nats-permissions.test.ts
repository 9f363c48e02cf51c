import { randomBytes } from "node:crypto";
import { expect, type TestContext, test } from "vitest";
import { connectNats } from "#shared/nats/connect-nats.ts";
import { streamName } from "#shared/nats/event-stream.ts";
import { eventually } from "../harness/eventually.ts";
import { issueOne } from "../harness/issue-items.ts";
import { startLocalNotifier } from "../harness/local-notifier.ts";
import { metricValues } from "../harness/metric-values.ts";
import { allPermissions, documentedPermissions } from "../harness/nats-permissions.ts";
import { type NatsUser, startNatsWithUsers } from "../harness/nats-with-auth.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { runCertctlFor } from "../harness/run-certctl.ts";
import { createTestStore } from "../harness/test-stores.ts";

const password = randomBytes(8).toString("hex");
const registryUser: NatsUser = { user: "registry", password, ...documentedPermissions.registry };
const notifierUser: NatsUser = { user: "notifier", password, ...documentedPermissions.notifier };
const observer: NatsUser = { user: "observer", password, ...allPermissions };

async function startNats({ onTestFinished }: TestContext, users: readonly NatsUser[]) {
  const nats = await startNatsWithUsers([...users, observer]);
  onTestFinished(nats.close);
  return { ...nats, urlOf: ({ user }: NatsUser) => `nats://${user}:${password}@${nats.address}` };
}

async function streamObserver({ onTestFinished }: TestContext, url: string) {
  const connection = await eventually(() => connectNats({ servers: [url] }, "test"));
  onTestFinished(() => connection.close());
  const manager = await connection.jetstreamManager();
  return { connection, storedCount: async () => (await manager.streams.info(streamName)).state.messages };
}

test.concurrent("publishes, receives and acknowledges events with NATS users that may use only the documented subjects", async (context) => {
  const nats = await startNats(context, [registryUser, notifierUser]);
  const registry = await openTestRegistry({ natsUrl: nats.urlOf(registryUser) }, context.onTestFinished);
  const notifier = await startLocalNotifier({ address: registry.address, natsUrl: nats.urlOf(notifierUser) });
  context.onTestFinished(notifier.stop);
  await issueOne(registry, await createTestStore(registry));
  const { outbox } = registry.database.collections;
  await eventually(async () => expect(await outbox.countDocuments()).toBe(0));
  const operationsUrl = `http://127.0.0.1:${notifier.operationsPort}`;
  const inProgress = async () => (await metricValues(operationsUrl, "notifier_messages_in_progress"))[""];
  await eventually(async () => expect(await inProgress()).toBe(0));
  const { storedCount } = await streamObserver(context, nats.urlOf(observer));
  await eventually(async () => expect(await storedCount()).toBe(0));
});

test.concurrent("erases a person without permission for a stream of automation events that the installation never had", async (context) => {
  const publish = registryUser.publish.filter((subject) => !/automation/i.test(subject));
  const nats = await startNats(context, [{ ...registryUser, publish }]);
  const registry = await openTestRegistry({ natsUrl: nats.urlOf(registryUser) }, context.onTestFinished);
  const storeId = await createTestStore(registry);
  await issueOne(registry, storeId, { buyer: { name: "Ada", email: "ada@example.test" } });
  const { storedCount } = await streamObserver(context, nats.urlOf(observer));
  await eventually(async () => expect(await storedCount()).toBe(1));
  const erased = await runCertctlFor(registry, storeId, "person", "erase", "ada@example.test", "--yes");
  expect(erased).toMatchObject({ code: 0, out: expect.stringContaining("a final search found nothing") });
  expect(await storedCount()).toBe(0);
});

test.concurrent("the registry publishes events even if its NATS user may not subscribe to the notifications between replicas", async (context) => {
  const nats = await startNats(context, [{ ...registryUser, subscribe: ["_INBOX.>"] }]);
  const registry = await openTestRegistry({ natsUrl: nats.urlOf(registryUser) }, context.onTestFinished);
  await issueOne(registry, await createTestStore(registry));
  const { storedCount } = await streamObserver(context, nats.urlOf(observer));
  await eventually(async () => expect(await storedCount()).toBe(1));
});

test.concurrent("the registry publishes other stores' events while its NATS user has no permission for one store, and publishes that store's events once permission is granted", async (context) => {
  const nats = await startNats(context, [registryUser]);
  const registry = await openTestRegistry({ natsUrl: nats.urlOf(registryUser) }, context.onTestFinished);
  const [denied, permitted] = [await createTestStore(registry), await createTestStore(registry)];
  await issueOne(registry, denied);
  const { storedCount, connection } = await streamObserver(context, nats.urlOf(observer));
  await eventually(async () => expect(await storedCount()).toBe(1));
  const publish = registryUser.publish.map((subject) =>
    subject === "certificates.>" ? `certificates.*.${permitted}.>` : subject,
  );
  await nats.setUsers([{ ...registryUser, publish }, observer]);
  const refusals = async () =>
    (await metricValues(registry.operationsUrl, "registry_publishes_refused_total"))['reason="not_permitted"'] ?? 0;
  await issueOne(registry, denied);
  await eventually(async () => expect(await refusals()).toBeGreaterThan(0));
  const before = await refusals();
  let inspections = 0;
  connection.subscribe(`$JS.API.STREAM.INFO.${streamName}`, { callback: () => void inspections++ });
  await connection.flush();
  await issueOne(registry, permitted);
  await eventually(async () => expect(await refusals()).toBeGreaterThan(before));
  // The relay has not restarted: a relay inspects the stream when it starts.
  expect(inspections).toBe(0);
  await eventually(async () => expect(await storedCount()).toBe(2));
  expect(await registry.deliveries.listQuarantinedMessages({})).toMatchObject({ messages: [] });

  await nats.setUsers([registryUser, observer]);
  await eventually(async () => expect(await storedCount()).toBe(3));
});

test.concurrent("a notifier resumes delivering after its permission to receive messages is withdrawn and granted again", async (context) => {
  const nats = await startNats(context, [registryUser, notifierUser]);
  const registry = await openTestRegistry({ natsUrl: nats.urlOf(registryUser) }, context.onTestFinished);
  const notifier = await startLocalNotifier({ address: registry.address, natsUrl: nats.urlOf(notifierUser) });
  context.onTestFinished(notifier.stop);
  const storeId = await createTestStore(registry);
  await issueOne(registry, storeId);
  const { outbox } = registry.database.collections;
  await eventually(async () => expect(await outbox.countDocuments()).toBe(0));

  const { storedCount } = await streamObserver(context, nats.urlOf(observer));
  await nats.setUsers([registryUser, { ...notifierUser, subscribe: ["unused"] }, observer]);
  // Until the server has reloaded its users, the notifier still receives events.
  await eventually(
    async () => {
      await issueOne(registry, storeId);
      expect(await storedCount()).toBeGreaterThanOrEqual(3);
    },
    { everyMs: 500 },
  );
  await nats.setUsers([registryUser, notifierUser, observer]);
  await eventually(async () => expect(await outbox.countDocuments()).toBe(0));
});
