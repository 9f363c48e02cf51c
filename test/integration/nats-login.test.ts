import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { connectNats } from "#shared/nats/connect-nats.ts";
import { streamName } from "#shared/nats/event-stream.ts";
import { eventually } from "../harness/eventually.ts";
import { issueOne } from "../harness/issue-items.ts";
import { metricValues } from "../harness/metric-values.ts";
import { allPermissions } from "../harness/nats-permissions.ts";
import { startNatsWithUsers } from "../harness/nats-with-auth.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const userWith = (password: string) => [{ user: "registry", password, ...allPermissions }];

test("resumes publishing after NATS has temporarily refused the registry's login", async ({ onTestFinished }) => {
  // Contains characters that must be escaped in a URL.
  const password = `a/b@c:${randomBytes(8).toString("hex")}`;
  const nats = await startNatsWithUsers(userWith(password));
  onTestFinished(nats.close);
  const url = `nats://registry:${encodeURIComponent(password)}@${nats.address}`;
  const registry = await openTestRegistry({ natsUrl: url }, onTestFinished);
  const published = async () => {
    const connection = await connectNats({ servers: [url] }, "test");
    try {
      const manager = await connection.jetstreamManager();
      return (await manager.streams.info(streamName)).state.messages;
    } finally {
      await connection.close();
    }
  };
  const storeId = await createTestStore(registry);
  await issueOne(registry, storeId);
  await eventually(async () => expect(await published()).toBe(1));

  await nats.setUsers(userWith(`not ${password}`));
  await issueOne(registry, storeId);
  // The client closes the connection after the second refused login, and the relay stops.
  const relayed = async () => (await metricValues(registry.operationsUrl, "registry_relay_partitions"))[""];
  await eventually(async () => expect(await relayed()).toBe(0));
  await nats.setUsers(userWith(password));
  await eventually(async () => expect(await published()).toBe(2));
});

test("reports a failed login without revealing the password", async ({ onTestFinished }) => {
  const [right, wrong] = [randomBytes(8).toString("hex"), randomBytes(8).toString("hex")];
  const nats = await startNatsWithUsers(userWith(right));
  onTestFinished(nats.close);
  const attempt = () => connectNats({ servers: [`nats://registry:${wrong}@${nats.address}`] }, "test");
  const problem = `cannot connect to NATS at nats://${nats.address}`;
  await eventually(() => expect(attempt()).rejects.toThrow(problem));
  await expect(attempt()).rejects.toThrow(expect.not.stringContaining(wrong));
});
