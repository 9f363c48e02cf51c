import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { connectNats } from "#shared/nats/connect-nats.ts";
import { streamName } from "#shared/nats/event-stream.ts";
import { eventually } from "../harness/eventually.ts";
import { issueOne } from "../harness/issue-items.ts";
import { startNatsWithAuth } from "../harness/nats-with-auth.ts";
import { startTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

// The client gives a connection up after the second refusal.
const refusedForMs = 3_000;

test("a registry that NATS refuses for a while publishes again when it is let in", async ({
  onTestFinished,
}) => {
  // Characters that a URL has to escape.
  const password = `a/b@c:${randomBytes(8).toString("hex")}`;
  const messages = await startNatsWithAuth(password);
  onTestFinished(messages.close);
  const url = `nats://registry:${encodeURIComponent(password)}@${messages.address}`;
  const registry = await startTestRegistry({ natsUrl: url });
  onTestFinished(() => registry.stop());
  const published = async () => {
    const connection = await connectNats([url], "test");
    try {
      const manager = await connection.jetstreamManager();
      return (await manager.streams.info(streamName)).state.messages;
    } finally {
      await connection.close();
    }
  };
  const storeId = await createTestStore(registry);
  await issueOne(registry, storeId);
  await eventually(async () => expect(await published()).toBe(1), { withinMs: 20_000 });

  await messages.setPassword(`not ${password}`);
  await issueOne(registry, storeId);
  await delay(refusedForMs);
  await messages.setPassword(password);
  await eventually(async () => expect(await published()).toBe(2), { withinMs: 20_000 });
});

test("what NATS says of a wrong password holds no password", async ({ onTestFinished }) => {
  const [right, wrong] = [randomBytes(8).toString("hex"), randomBytes(8).toString("hex")];
  const messages = await startNatsWithAuth(right);
  onTestFinished(messages.close);
  const attempt = () => connectNats([`nats://registry:${wrong}@${messages.address}`], "test");
  const problem = `cannot connect to NATS at nats://${messages.address}`;
  await eventually(() => expect(attempt()).rejects.toThrow(problem), { withinMs: 20_000 });
  await expect(attempt()).rejects.toThrow(expect.not.stringContaining(wrong));
});
