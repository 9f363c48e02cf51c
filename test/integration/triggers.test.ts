import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { TriggerDeliveryState, TriggerDisabledCause, TriggerFormat } from "#gen/registry/v1/trigger_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { issueOne } from "../harness/issue-items.ts";
import { listOne } from "../harness/public-certificate.ts";
import { refusalOf } from "../harness/refusal-of.ts";
import { createTestStore } from "../harness/test-stores.ts";
import { history, issue, issueWithHistory, openReceiver, soon, startReceiver } from "./notifier-rig.ts";
import {
  addTrigger,
  createStoreWithTrigger,
  expectedSignature,
  openTriggerRig,
  startTriggerNotifier,
  startTriggerReceiver,
  type TriggerRequest,
  type TriggerRig,
  triggerOf,
} from "./trigger-rig.ts";

const eventOf = ({ json }: TriggerRequest): string => json.data.event;
const certificateOf = ({ json }: TriggerRequest): string => json.subject;

test("a trigger of a store without a webhook receives the selected events as signed CloudEvents", async (context) => {
  const rig = await openTriggerRig(context);
  const receiver = await startTriggerReceiver(rig);
  const events = [EventType.ISSUED, EventType.REVOKED];
  const { storeId, secret } = await createStoreWithTrigger(rig, { url: receiver.url, events });
  await startTriggerNotifier(rig);
  const certificateId = await issueOne(rig.registry, storeId);
  const issued = await listOne(rig.registry, storeId);
  const { lifecycle } = rig.registry;
  await lifecycle.transferCertificate(
    { certificateId, newOwnerName: "Bob", newOwnerEmail: "bob@x.test" },
    inStore(storeId),
  );
  await lifecycle.revokeCertificate({ certificateId, reason: "refund", cause: 1 }, inStore(storeId));
  await soon(() => expect(receiver.accepted).toHaveLength(2));
  const [first, second] = receiver.accepted;
  expect(first?.json).toEqual({
    specversion: "1.0",
    id: expect.stringMatching(/^evt_/),
    source: expect.stringMatching(/^https:\/\/shop-/),
    type: "certificate-registry.certificate.issued",
    subject: certificateId,
    time: issued.updatedAt,
    datacontenttype: "application/json",
    data: { event: "issued", shop: expect.any(String), occurredAt: issued.updatedAt, certificate: issued },
  });
  expect(second?.json.data).toMatchObject({ event: "revoked", certificate: { status: "revoked" } });
  for (const request of receiver.accepted) {
    expect(request.header("content-type")).toBe("application/cloudevents+json");
    expect(request.header("webhook-id")).toBe(request.json.id);
    expect(Math.abs(Number(request.header("webhook-timestamp")) - Date.now() / 1_000)).toBeLessThan(120);
    expect(request.header("webhook-signature")).toBe(expectedSignature(secret, request));
  }
}, 120_000);

test("a profile trigger receives the owner's name and e-mail address, and the verification link", async (context) => {
  const rig = await openTriggerRig(context);
  const receiver = await startTriggerReceiver(rig);
  const { storeId } = await createStoreWithTrigger(rig, { url: receiver.url, format: TriggerFormat.PROFILE });
  await startTriggerNotifier(rig);
  await issueOne(rig.registry, storeId);
  const { owner, verifyUrl, product } = await listOne(rig.registry, storeId);
  await soon(() => expect(receiver.accepted).toHaveLength(1));
  expect(receiver.accepted[0]?.json).toMatchObject({
    email: owner.email,
    name: owner.name,
    event: "certificate_issued",
    consent: { marketing: "unknown" },
    properties: { verify_url: verifyUrl, product_title: product.title, product_sku: product.sku },
  });
}, 120_000);

/**
 * Waits until an event has been tried several times, and lets the time pass after which it is given up, as its document
 * shows: the first attempt was two days ago.
 */
async function passHorizon({ registry }: TriggerRig): Promise<void> {
  const { triggerDeliveries } = registry.database.collections;
  const past = { $set: { firstAttemptAt: new Date(Date.now() - 172_800_000) } };
  await soon(async () => {
    const { matchedCount } = await triggerDeliveries.updateOne({ state: "waiting", attempts: { $gt: 2 } }, past);
    expect(matchedCount).toBe(1);
  });
}

// Concurrent, because these three wait for attempts.
test.concurrent("a receiver that fails for a while receives every event afterwards, in order, and each webhook message is sent once", async (context) => {
  const rig = await openTriggerRig(context);
  const { registry } = rig;
  // The store's webhook and one of its triggers work while its other trigger fails.
  const webhook = await openReceiver(rig);
  const { storeId } = webhook;
  let hasRecovered = false;
  const failing = await startTriggerReceiver(rig, () => (hasRecovered ? 204 : 503));
  const working = await startTriggerReceiver(rig);
  const { triggerId } = await addTrigger(rig, storeId, { url: failing.url });
  await addTrigger(rig, storeId, { url: working.url });
  await startTriggerNotifier(rig);
  const ids = await issueWithHistory(rig, storeId, 8);
  const isComplete = (requests: readonly TriggerRequest[]) => requests.length >= ids.length * history.length;
  await soon(() => expect(isComplete(working.accepted)).toBe(true));
  await soon(async () => expect((await triggerOf(rig, storeId, triggerId)).failingSince).toBeDefined());
  const mostAttempts = async () => {
    const { deliveries } = await registry.triggers.listTriggerDeliveries({ triggerId, limit: 100 }, inStore(storeId));
    return Math.max(...deliveries.map(({ attempts }) => attempts));
  };
  await soon(async () => expect(await mostAttempts()).toBeGreaterThan(3));
  expect(failing.accepted).toEqual([]);
  hasRecovered = true;
  await soon(() => expect(isComplete(failing.accepted)).toBe(true));
  for (const receiver of [failing, working])
    for (const id of ids) {
      const ofCertificate = receiver.accepted.filter((request) => certificateOf(request) === id).map(eventOf);
      expect([...new Set(ofCertificate)]).toEqual(history);
      // An event can be delivered repeatedly, but not after the certificate's next event.
      expect(ofCertificate.toSorted((one, other) => history.indexOf(one) - history.indexOf(other))).toEqual(
        ofCertificate,
      );
    }
  await soon(() => expect(webhook.requests).toHaveLength(ids.length * history.length));
  for (const id of ids) expect(webhook.eventsOf(id)).toEqual(history);
  // The receiver accepts the last event before the result is recorded.
  await soon(async () => {
    const trigger = await triggerOf(rig, storeId, triggerId);
    expect(trigger).toMatchObject({ enabled: true, waitingCount: 0 });
    expect(trigger.failingSince).toBeUndefined();
  });
  const { deliveries } = await registry.triggers.listTriggerDeliveries({ triggerId, limit: 100 }, inStore(storeId));
  expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set([TriggerDeliveryState.DELIVERED]));
}, 180_000);

test.concurrent("a trigger whose receiver always fails is disabled with a reason; once enabled again, it receives the waiting events", async (context) => {
  const rig = await openTriggerRig(context);
  const { registry } = rig;
  let status = 500;
  const receiver = await startTriggerReceiver(rig, () => status);
  const { storeId, triggerId } = await createStoreWithTrigger(rig, { url: receiver.url });
  await startTriggerNotifier(rig);
  await issue(rig, storeId, 3);
  await passHorizon(rig);
  await soon(async () => expect((await triggerOf(rig, storeId, triggerId)).enabled).toBe(false));
  const disabled = await triggerOf(rig, storeId, triggerId);
  expect(disabled.disabledCause).toBe(TriggerDisabledCause.FAILING);
  expect(disabled.disabledReason?.text).toContain("500");
  const { entries } = await registry.inspection.listStoreHistory({}, inStore(storeId));
  expect(entries[0]).toMatchObject({ action: "trigger.disabled", details: { trigger: triggerId, cause: "failing" } });
  // Not queued, because the trigger is disabled.
  await issue(rig, storeId);
  // The trigger is disabled before the event is settled.
  const deliveries = await soon(async () => {
    const found = (await registry.triggers.listTriggerDeliveries({}, inStore(storeId))).deliveries;
    expect(found.filter(({ state }) => state === TriggerDeliveryState.WAITING)).toHaveLength(2);
    return found;
  });
  expect(deliveries).toHaveLength(3);
  const givenUp = deliveries.find(({ state }) => state === TriggerDeliveryState.GIVEN_UP);
  expect(givenUp).toMatchObject({ lastAttempt: { kind: OutcomeKind.REFUSED, httpStatus: 500 } });
  expect(givenUp?.attempts).toBeGreaterThan(2);

  status = 204;
  await registry.triggers.enableTrigger({ triggerId }, inStore(storeId));
  const acceptedCount = () => new Set(receiver.accepted.map(certificateOf)).size;
  await soon(() => expect(acceptedCount()).toBe(2));
  await issue(rig, storeId);
  await soon(() => expect(acceptedCount()).toBe(3));
}, 180_000);

test.concurrent("a repeatedly refused event is given up, delays only later events of its certificate, and disables no trigger", async (context) => {
  const rig = await openTriggerRig(context);
  let refused = "";
  const receiver = await startTriggerReceiver(rig, (request) =>
    certificateOf(request) === refused && eventOf(request) === "issued" ? 422 : 204,
  );
  const { storeId, triggerId } = await createStoreWithTrigger(rig, { url: receiver.url });
  const [poisoned = "", other = ""] = await issueWithHistory(rig, storeId, 2);
  refused = poisoned;
  await startTriggerNotifier(rig);
  // An event whose result was not recorded in time is sent again.
  const eventsOf = (id: string) => [
    ...new Set(receiver.accepted.filter((one) => certificateOf(one) === id).map(eventOf)),
  ];
  await soon(() => expect(eventsOf(other)).toEqual(history));
  expect(eventsOf(poisoned)).toEqual([]);
  await passHorizon(rig);
  await soon(() => expect(eventsOf(poisoned)).toEqual(history.slice(1)));
  const refusals = receiver.requests().filter((one) => certificateOf(one) === poisoned && eventOf(one) === "issued");
  expect(refusals.length).toBeGreaterThan(2);
  expect(await triggerOf(rig, storeId, triggerId)).toMatchObject({ enabled: true });
}, 300_000);

test("an attempt that is interrupted by the notifier's shutdown does not count as a failure of the trigger", async (context) => {
  const rig = await openTriggerRig(context);
  let received = 0;
  const silent = await startReceiver(context, () => void received++);
  const { storeId, triggerId } = await createStoreWithTrigger(rig, { url: silent.url });
  const notifier = await startTriggerNotifier(rig, { NOTIFIER_SHUTDOWN_GRACE_MS: "1" });
  await issueOne(rig.registry, storeId);
  await soon(() => expect(received).toBe(1));
  await notifier.stop();
  const { deliveries } = await rig.registry.triggers.listTriggerDeliveries({ limit: 1 }, inStore(storeId));
  expect(deliveries[0]).toMatchObject({
    state: TriggerDeliveryState.WAITING,
    lastAttempt: { kind: OutcomeKind.INTERRUPTED },
  });
  expect((await triggerOf(rig, storeId, triggerId)).failingSince).toBeUndefined();
}, 120_000);

test("a response with status 410 disables the trigger immediately", async (context) => {
  const rig = await openTriggerRig(context);
  const receiver = await startTriggerReceiver(rig, () => 410);
  const { storeId, triggerId } = await createStoreWithTrigger(rig, { url: receiver.url });
  await startTriggerNotifier(rig);
  await issueOne(rig.registry, storeId);
  await soon(async () => expect((await triggerOf(rig, storeId, triggerId)).enabled).toBe(false));
  expect(await triggerOf(rig, storeId, triggerId)).toMatchObject({ disabledCause: TriggerDisabledCause.GONE });
  expect(receiver.requests()).toHaveLength(1);
}, 120_000);

test("after a rotation, messages are signed with both the new and the previous secret", async (context) => {
  const rig = await openTriggerRig(context);
  const receiver = await startTriggerReceiver(rig);
  const { storeId, triggerId, secret } = await createStoreWithTrigger(rig, { url: receiver.url });
  const rotated = await rig.registry.triggers.rotateTriggerSecret({ triggerId }, inStore(storeId));
  await startTriggerNotifier(rig);
  const { eventId } = await rig.registry.triggers.testTrigger({ triggerId }, inStore(storeId));
  await soon(() => expect(receiver.accepted).toHaveLength(1));
  const [request] = receiver.accepted;
  if (request === undefined) throw new Error("no message");
  expect(request.json).toMatchObject({ id: eventId, test: true });
  expect(request.header("webhook-signature").split(" ")).toEqual(
    [rotated.secret, secret].map((one) => expectedSignature(one, request)),
  );
}, 120_000);

test("a test event is sent only once, even if the attempt fails", async (context) => {
  const rig = await openTriggerRig(context);
  const receiver = await startTriggerReceiver(rig, () => 500);
  const { storeId, triggerId } = await createStoreWithTrigger(rig, { url: receiver.url });
  await startTriggerNotifier(rig);
  const { eventId } = await rig.registry.triggers.testTrigger({ triggerId }, inStore(storeId));
  const log = async () =>
    (await rig.registry.triggers.listTriggerDeliveries({ triggerId }, inStore(storeId))).deliveries;
  await soon(async () => expect((await log())[0]?.state).toBe(TriggerDeliveryState.GIVEN_UP));
  expect(await log()).toMatchObject([{ eventId, attempts: 1 }]);
  expect(receiver.requests()).toHaveLength(1);
  const trigger = await triggerOf(rig, storeId, triggerId);
  expect([trigger.enabled, trigger.failingSince]).toEqual([true, undefined]);
}, 120_000);

test("changes to triggers are validated, recorded in the store's history, and refused for another store's triggers", async (context) => {
  const rig = await openTriggerRig(context);
  const { triggers, inspection } = rig.registry;
  const url = "https://hooks.example.test/secret-path";
  const { storeId, triggerId } = await createStoreWithTrigger(rig, { url });
  const other = await createTestStore(rig.registry);
  for (const call of [
    triggers.deleteTrigger,
    triggers.enableTrigger,
    triggers.disableTrigger,
    triggers.testTrigger,
    triggers.rotateTriggerSecret,
  ])
    expect((await refusalOf(call({ triggerId }, inStore(other)))).message).toContain("no such trigger");
  for (const refused of ["http://hooks.example.test/", "https://10.0.0.1/", "https://localhost/"])
    expect((await refusalOf(triggers.createTrigger({ url: refused }, inStore(storeId)))).field).toBe("url");
  for (let count = 1; count < 10; count++) await triggers.createTrigger({ url }, inStore(storeId));
  expect((await refusalOf(triggers.createTrigger({ url }, inStore(storeId)))).message).toContain(
    "can have at most 10 triggers",
  );
  await triggers.disableTrigger({ triggerId }, inStore(storeId));
  expect((await refusalOf(triggers.testTrigger({ triggerId }, inStore(storeId)))).message).toContain("disabled");
  await triggers.deleteTrigger({ triggerId }, inStore(storeId));
  const { entries } = await inspection.listStoreHistory({ limit: 100 }, inStore(storeId));
  expect(entries.slice(0, 3).map(({ action }) => action)).toEqual([
    ...["trigger.deleted", "trigger.disabled", "trigger.created"],
  ]);
  expect(entries.flatMap(({ details }) => Object.values(details)).join()).not.toContain("secret-path");
}, 120_000);
