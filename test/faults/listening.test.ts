import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { openListeningStack, startListener, startLocalServer } from "../harness/local-listener.ts";
import { pathOf } from "../harness/receiver/behaviour.ts";
import { receivedMessages } from "../harness/receiver/received-messages.ts";
import { partOf } from "../harness/stack/start-stack.ts";
import { createTestStore } from "../harness/test-stores.ts";

const stack = await openListeningStack();
const registry = partOf(stack.registries);
const [baseUrl = "", steadyUrl = ""] = stack.edges.map(({ url }) => url);

/** The command-line option for a longer run: how many events the store's own receiver gets beside a listener. */
const eventCount = Number(process.env.LISTEN_EVENTS ?? 300);
const batchSize = 10;
/** Kills over which the events are spread, at least: an edge, a registry and the notifier. */
const killsMin = 3;

test(`the store's receiver gets each of ${eventCount} events at most once beside listeners, while services are killed`, {
  timeout: 240_000 + 60 * eventCount,
}, async () => {
  const storeId = await createTestStore(registry);
  const url = `${stack.receiver.url}${pathOf("answers", "beside")}`;
  const { secret } = await registry.admin.setWebhook({ url, createSecret: true }, inStore(storeId));
  const { token } = await registry.admin.createListenToken({}, inStore(storeId));
  const local = await startLocalServer();
  const steady = startListener(steadyUrl, token, local.url);
  await steady.ready;
  const processes = [stack.edges, stack.registries].map((replicas) => replicas.map(({ process }) => process));
  // Alternates between the services, so that also few kills concern all.
  const parts = [0, 1].flatMap((index) => [...processes, stack.notifiers].flatMap((replicas) => replicas[index] ?? []));
  let isIssuing = true;
  let kills = 0;
  const disturb = async () => {
    for (; isIssuing || kills < killsMin; kills++) {
      const restless = startListener(baseUrl, token);
      await Promise.race([restless.ready, delay(2_000)]);
      restless.stop();
      const killed = partOf(parts, kills % parts.length);
      await killed.kill();
      await killed.start();
    }
  };
  const disturbing = disturb();
  const issued = new Set<string>();
  for (let first = 0; first < eventCount; first += batchSize) {
    const items = Array.from({ length: Math.min(batchSize, eventCount - first) }, () => issueItem());
    const request = { items, idempotencyKey: `batch-${first}` };
    const issue = (attempt: number) =>
      partOf(stack.registries, attempt % 2).issuing.issueCertificates(request, inStore(storeId));
    let attempt = 0;
    const { results } = await eventually(() => issue(attempt++));
    for (const { certificateId } of results) issued.add(certificateId);
    const killsBefore = Math.floor((killsMin * first) / eventCount);
    await eventually(() => expect(kills).toBeGreaterThanOrEqual(killsBefore), { withinMs: 120_000 });
  }
  isIssuing = false;
  await disturbing;
  expect(issued.size).toBe(eventCount);
  const { outbox, deliveries } = stack.collections;
  await eventually(
    async () => {
      expect(await outbox.countDocuments({ store: storeId })).toBe(0);
      const missed = steady.notes.flatMap((note) => /^Up to (\d+) messages /.exec(note)?.[1] ?? []).map(Number);
      const total = missed.reduce((sum, count) => sum + count, steady.messages.length);
      expect(total).toBe(eventCount);
    },
    // Until the claims of a killed notifier have expired, and JetStream has sent their messages again.
    { withinMs: 300_000, everyMs: 200 },
  );
  const own = receivedMessages(await stack.receiver.requests(), secret).filter(({ message }) =>
    issued.has(message.certificate.id),
  );
  expect(own.filter(({ verified }) => !verified)).toEqual([]);
  const received = new Set(own.map(({ deliveryId }) => deliveryId));
  expect(received.size).toBe(own.length);
  const settled = await deliveries.find({ store: storeId }).toArray();
  expect(settled).toHaveLength(eventCount);
  expect(settled.filter(({ outcome }) => outcome === null)).toEqual([]);
  const unsent = settled.filter(({ _id }) => !received.has(_id)).map(({ outcome }) => outcome?.kind);
  expect(new Set(unsent).isSubsetOf(new Set(["interrupted"]))).toBe(true);
  const interrupted = settled.filter(({ outcome }) => outcome?.kind === "interrupted").length;
  process.stdout.write(`${eventCount} events, ${kills} kills: ${own.length} received, ${interrupted} interrupted, `);
  process.stdout.write(`${steady.messages.length} copies forwarded\n`);
  // The listener forwards each message once.
  expect(new Set(steady.messages.map(({ deliveryId }) => deliveryId)).size).toBe(steady.messages.length);
  expect(local.received).toHaveLength(steady.messages.length);
});
