import { connect } from "nats";
import { expect, inject, type TestContext } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { eventName } from "#shared/events/event-name.ts";
import { consumerName, partitionOf, streamName } from "#shared/nats/event-stream.ts";
import { startReceiverFixture } from "../../services/notifier/webhook/receiver-fixture.ts";
import { issueChange } from "../../services/registry/certificates/issue-certificates.ts";
import { startCutProxy } from "../harness/cut-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { issueMany } from "../harness/issue-items.ts";
import { createTestLedger } from "../harness/ledger-fixture.ts";
import { startLocalNotifier } from "../harness/local-notifier.ts";
import { metricValues } from "../harness/metric-values.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { createStoreWithWebhook } from "../harness/test-stores.ts";

/** Environment variables that make a notifier trust the receivers of {@link startReceiver}. */
export const trustsReceivers = { NOTIFIER_EXTRA_CA_FILE: inject("receiverCaFile") };

/** Closes a resource at the end of the test. @returns the resource */
export function closing<T extends { close(): Promise<void> }>({ onTestFinished }: TestContext, opened: T): T {
  onTestFinished(() => opened.close());
  return opened;
}

/**
 * Opens a registry with a new database, and a proxy between the registry and the notifiers.
 *
 * @param givenNats URL of a running NATS server; by default the rig starts one
 */
export async function openNotifierRig(context: TestContext, givenNats?: string) {
  const natsUrl = givenNats ?? (await startTestNats(context.onTestFinished)).url;
  const registry = await openTestRegistry({ natsUrl }, context.onTestFinished);
  const { deliveries, outbox } = registry.database.collections;
  const proxy = await startCutProxy(registry.address, context.onTestFinished);
  const reconnects = { maxReconnectAttempts: -1, reconnectTimeWait: 100 };
  const connection = closing(context, await connect({ servers: natsUrl, ...reconnects }));
  return { context, natsUrl, registry, deliveries, outbox, proxy, address: proxy.address, connection };
}
/** A registry with a database, a NATS server, and a proxy that injects faults between the registry and notifiers. */
type NotifierRig = Awaited<ReturnType<typeof openNotifierRig>>;
type ReceiverPlace = Pick<NotifierRig, "context" | "registry">;
type NotifierPlace = Pick<NotifierRig, "context" | "natsUrl" | "address">;

/** Starts a notifier and waits until it is ready. */
export async function startNotifier(rig: NotifierPlace, more: Record<string, string> = {}) {
  const notifier = await launchNotifier(rig, more);
  await notifier.reports("ok");
  return notifier;
}

/** Starts a notifier without waiting until it is ready. @param more additional configuration variables */
export async function launchNotifier({ context, natsUrl, address }: NotifierPlace, more: Record<string, string> = {}) {
  const { operationsPort, stop } = await startLocalNotifier({ address, natsUrl }, { ...trustsReceivers, ...more });
  context.onTestFinished(stop);
  const operationsUrl = `http://127.0.0.1:${operationsPort}`;
  const readiness = async () => (await fetch(`${operationsUrl}/readyz`)).text();
  const reports = (reason: string) => soon(async () => expect((await readiness()).trim()).toBe(reason));
  /** Returns the number of negative acknowledgements with this cause; by default, with any cause. */
  const nakCount = async (cause = "") => {
    const counts = Object.entries(await metricValues(operationsUrl, "notifier_messages_nak_total"));
    return counts.reduce((sum, [label, count]) => (label.includes(cause) ? sum + count : sum), 0);
  };
  const naksFor = (cause: string) => soon(async () => expect(await nakCount(cause)).toBeGreaterThan(0));
  /** Returns the number of messages that were pulled and are not acknowledged yet. */
  const inProgress = async () => Number((await metricValues(operationsUrl, "notifier_messages_in_progress"))[""]);
  return { reports, nakCount, naksFor, inProgress, operationsPort, stop };
}

/** Waits up to 90 s for a check to pass: long enough for timeouts and retries on a slow machine. */
export const soon = <T>(check: () => T | Promise<T>) => eventually(check, { withinMs: 90_000 });

/** Starts a receiver that stops at the end of the test. */
export async function startReceiver(
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  onRequest: Parameters<typeof startReceiverFixture>[1],
) {
  const receiver = await startReceiverFixture(inject("receiverCertificate"), onRequest);
  onTestFinished(() => receiver.stop());
  return { requests: receiver.requests, url: `https://127.0.0.1:${receiver.port}/` };
}

/** Creates a store and starts its receiver, which responds with 204 once `until()` resolves (by default at once). */
export async function openReceiver({ context, registry }: ReceiverPlace, until: () => unknown = () => undefined) {
  const receiver = await startReceiver(context, async (socket) => {
    await until();
    socket.end("HTTP/1.1 204 No Content\r\n\r\n");
  });
  const messages = () => receiver.requests.map(({ body }) => JSON.parse(body.toString()));
  const { storeId } = await createStoreWithWebhook(registry, { url: receiver.url });
  return {
    ...receiver,
    storeId,
    /** Returns the names of a certificate's events in order of arrival. */
    eventsOf: (id: string) => messages().flatMap((body) => (body.certificate.id === id ? body.event : [])),
    certificates: () => messages().map((body) => body.certificate.id),
  };
}

/** Returns a promise that never resolves, for a receiver that hangs. */
export const never = () => new Promise(() => undefined);

/** Issues certificates. @returns their ids */
export function issue({ registry }: Pick<NotifierRig, "registry">, storeId: string, count = 1): Promise<string[]> {
  return issueMany(registry, storeId, count);
}

const later = [EventType.VERIFIED, EventType.TRANSFERRED, EventType.REPORTED, EventType.REVOKED];
/** The names of the events that {@link issueWithHistory} causes for each certificate, in order. */
export const history = ["issued", ...later.map(eventName)];

/**
 * Issues certificates and changes them in the same transaction, so that all their events are in the outbox at once.
 *
 * @returns the ids of the certificates
 */
export function issueWithHistory(
  { registry }: Pick<NotifierRig, "registry">,
  storeId: string,
  count = 1,
): Promise<string[]> {
  const origin = { actor: "test", isImport: false };
  const product = { id: "7001", title: "Alpine Jacket", variant: "", sku: "" };
  const buyer = { name: "Ada Example", email: "ada@example.test" };
  const issuing = issueChange(times(count, { product, buyer, order: null, expiresAt: null }), origin);
  return createTestLedger(registry.database).queue.submit(storeId, {
    needs: issuing.needs,
    maxSerials: issuing.maxSerials,
    maxTimestamps: count * history.length,
    decide: (draft) => {
      issuing.decide(draft);
      for (const type of later)
        for (const issued of draft.inserted)
          draft.update({ ...issued, updatedAt: draft.nextTimestamp() }, type, { cause: "in_app", actor: "test" });
      return draft.inserted.map(({ id }) => id);
    },
  });
}

/** Waits until a notifier requests messages of a store's partition, of which it receives the next ones for seconds. */
export async function nextPull({ connection }: NotifierRig, storeId: string): Promise<void> {
  const consumer = consumerName(partitionOf(storeId));
  const pulls = connection.subscribe(`$JS.API.CONSUMER.MSG.NEXT.${streamName}.${consumer}`, { max: 1 });
  for await (const _pull of pulls) return;
}

/** Returns the number of messages in the JetStream stream. */
export async function streamedCount({ connection }: NotifierRig): Promise<number> {
  const manager = await connection.jetstreamManager();
  return (await manager.streams.info(streamName)).state.messages;
}

/** Returns the number of events without an outcome. */
export const unsettledCount = ({ outbox }: NotifierRig) => outbox.countDocuments();

/** Waits until every event has an outcome and the stream is empty. */
export const untilAllSettled = (rig: NotifierRig) =>
  soon(async () => expect([await unsettledCount(rig), await streamedCount(rig)]).toEqual([0, 0]));

/** Returns the outcomes of a store's deliveries; null for those in flight. */
export async function outcomes(
  { deliveries }: Pick<NotifierRig, "deliveries">,
  store: string,
): Promise<(string | null)[]> {
  const found = await deliveries.find({ store }).toArray();
  return found.map(({ outcome }) => outcome?.kind ?? null);
}

/** Returns an array that contains `value` `count` times. */
export const times = <T>(count: number, value: T): T[] => Array(count).fill(value);
