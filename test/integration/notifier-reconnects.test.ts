import { expect, test } from "vitest";
import { ensureStream } from "#shared/nats/event-stream.ts";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { JetStreamConsumer } from "../../services/notifier/consumer/jet-stream-consumer.ts";
import { Semaphore } from "../../services/notifier/consumer/semaphore.ts";
import { Latch } from "../../services/notifier/latch.ts";
import { startCutProxy } from "../harness/cut-proxy.ts";
import { connectForTest, startTestNats } from "../harness/test-nats.ts";
import { closing, soon } from "./notifier-rig.ts";

test("JetStreamConsumer is not ready after a reconnect while the event stream does not exist, and closes while NATS is unreachable", async (context) => {
  const nats = await startTestNats(context.onTestFinished);
  const proxy = await startCutProxy(new URL(nats.url).host, context.onTestFinished);
  const consumersReady = new Latch();
  const { logger, lines } = captureLog();
  const consumer = new JetStreamConsumer({
    nats: { servers: [`nats://${proxy.address}`] },
    dispatcher: { accept: () => Promise.reject(new Error("there are no messages")) },
    slots: new Semaphore(32),
    concurrencyMax: 32,
    registryAvailable: new Latch(),
    consumersReady,
    clock: steadyClock,
    logger,
  });
  const logged = (message: string) => soon(() => expect(lines.map(({ msg }) => msg)).toContain(message));
  consumer.start();
  context.onTestFinished(async () => {
    await consumer.stopPulling();
    await consumer.close();
  });
  await logged("waiting for the event stream and its consumers; the registry creates the stream");

  proxy.heal();
  await logged("reconnected to NATS");
  expect(consumersReady.isOpen).toBe(false);

  const connection = closing(context, await connectForTest(nats.url));
  await ensureStream(await connection.jetstreamManager(), { replicas: 1 });
  await logged("the consumers of the event stream are ready");
  await soon(() => expect(consumersReady.isOpen).toBe(true));
  await consumer.stopPulling();
  expect(consumersReady.isOpen).toBe(false);

  // Closing succeeds while NATS is unreachable, so that the notifier can stop.
  proxy.cut();
  await soon(() => expect(proxy.refusedCount()).toBeGreaterThan(0));
  await consumer.close();
});
