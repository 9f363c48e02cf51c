import { setTimeout as delay } from "node:timers/promises";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { eventSubject, partitionOf } from "#shared/nats/event-stream.ts";
import { issueOne } from "../harness/issue-items.ts";
import { issueMany, openRelayTestRig } from "../harness/relay-test-rig.ts";
import type { StoredEvent } from "../harness/stored-events.ts";
import { createTestStore } from "../harness/test-stores.ts";

// Side by side: most of the time is spent on waiting for a server to be missed.
describe.concurrent("the outbox relay", () => {
  const ofStore = (events: readonly StoredEvent[], storeId: string) =>
    events.filter(({ event }) => event.storeId === storeId).map(({ event }) => event.certificateId);

  const distinctIds = (events: readonly StoredEvent[]) =>
    new Set(events.map(({ messageId }) => messageId)).size;

  test("publishes every event once, under its id, on its subject, and each store's in the order of its clock", async (context) => {
    const stand = await openRelayTestRig(context);
    const registry = await stand.startRegistry();
    const stores = await Promise.all([1, 2, 3].map(() => createTestStore(registry)));
    for (let round = 0; round < 5; round++)
      await Promise.all(stores.map((storeId) => issueMany(registry, storeId, 8)));

    const events = await stand.published(120, 10_000);
    expect(events).toHaveLength(120);
    expect(distinctIds(events)).toBe(120);
    for (const { subject, messageId, event } of events) {
      expect(messageId).toBe(event.id);
      expect(subject).toBe(`certificates.${partitionOf(event.storeId)}.${event.storeId}.issued`);
      expect(subject).toBe(eventSubject(event.storeId, event.type));
      expect(event.type).toBe(EventType.ISSUED);
    }
    for (const storeId of stores) {
      expect(ofStore(events, storeId)).toEqual(await stand.certificatesOf(storeId));
      const times = events
        .filter(({ event }) => event.storeId === storeId)
        .map(({ event }) => (event.occurredAt === undefined ? Number.NaN : timestampMs(event.occurredAt)));
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }
  });

  test("waits for a NATS server that starts later, while the registry serves", async (context) => {
    const stand = await openRelayTestRig(context);
    await stand.nats.stop();
    const registry = await stand.startRegistry();
    const storeId = await createTestStore(registry);
    await issueMany(registry, storeId, 5);
    await stand.nats.start();
    const events = await stand.published(5, 20_000);
    expect(ofStore(events, storeId)).toEqual(await stand.certificatesOf(storeId));
  });

  test("keeps events while NATS is away, and then publishes them all, nothing twice", async (context) => {
    const stand = await openRelayTestRig(context);
    const registry = await stand.startRegistry();
    const storeId = await createTestStore(registry);
    await issueMany(registry, storeId, 10);
    await stand.published(10, 10_000);

    await stand.nats.stop();
    for (let call = 0; call < 10; call++) await issueMany(registry, storeId, 3);
    await stand.nats.start();

    const events = await stand.published(40, 20_000);
    expect(events).toHaveLength(40);
    expect(distinctIds(events)).toBe(40);
    expect(ofStore(events, storeId)).toEqual(await stand.certificatesOf(storeId));
  });

  test("makes the stream again when NATS comes back without what it stored", async (context) => {
    const stand = await openRelayTestRig(context);
    const registry = await stand.startRegistry();
    const storeId = await createTestStore(registry);
    await issueMany(registry, storeId, 1);
    await stand.published(1, 10_000);

    await stand.nats.stop();
    await stand.nats.deleteData();
    await issueMany(registry, storeId, 4);
    await stand.nats.start();

    // The one that was lost is not settled: it is published again.
    const events = await stand.published(5, 20_000);
    expect(ofStore(events, storeId)).toEqual(await stand.certificatesOf(storeId));
  });

  test("does not keep a registry from stopping while NATS is away", async (context) => {
    const stand = await openRelayTestRig(context);
    const registry = await stand.startRegistry();
    const storeId = await createTestStore(registry);
    await stand.leaseHolder();
    await stand.nats.stop();
    await issueMany(registry, storeId, 3);
    const beginAt = performance.now();
    await stand.stopRegistry(registry);
    expect(performance.now() - beginAt).toBeLessThan(8_000);
    expect(await stand.unsettled()).toBe(3);
    expect(await stand.database.collections.leases.countDocuments()).toBe(0);
  });

  test("runs in one of two registries, which publishes what both commit", async (context) => {
    const stand = await openRelayTestRig(context);
    const first = await stand.startRegistry();
    const holder = await stand.leaseHolder();
    const second = await stand.startRegistry();
    const storeId = await createTestStore(first);
    for (let round = 0; round < 10; round++)
      await Promise.all([issueMany(first, storeId, 2), issueMany(second, storeId, 2)]);

    const events = await stand.published(40, 10_000);
    expect(events).toHaveLength(40);
    expect(distinctIds(events)).toBe(40);
    expect(ofStore(events, storeId)).toEqual(await stand.certificatesOf(storeId));
    expect(await stand.leaseHolder()).toBe(holder);
  });

  test("is handed over at once by a holder that stops in order", async (context) => {
    const stand = await openRelayTestRig(context);
    const first = await stand.startRegistry();
    const holder = await stand.leaseHolder();
    const second = await stand.startRegistry();
    const storeId = await createTestStore(second);
    await stand.stopRegistry(first);
    await issueMany(second, storeId, 3);
    expect(await stand.published(3, 3_000)).toHaveLength(3);
    expect(await stand.leaseHolder()).not.toBe(holder);
  });

  test("leaves a lease alone that another holds, and takes it when it has run out", async (context) => {
    const stand = await openRelayTestRig(context);
    const { leases } = stand.database.collections;
    // What a registry that was killed leaves behind.
    const expiresAt = new Date((await stand.database.now()).getTime() + 3_000);
    await leases.insertOne({ _id: "outbox-relay", holder: "dead", expiresAt });
    const registry = await stand.startRegistry();
    const storeId = await createTestStore(registry);
    await issueMany(registry, storeId, 3);

    const events = await stand.published(3, 6_000);
    expect((await stand.database.now()).getTime()).toBeGreaterThan(expiresAt.getTime());
    expect(events).toHaveLength(3);
    expect(await stand.leaseHolder()).not.toBe("dead");
  });

  test("publishes a certificate's next event only when the one before it is settled, whoever settles it", async (context) => {
    const stand = await openRelayTestRig(context);
    const [relaying, other] = [await stand.startRegistry(), await stand.startRegistry()];
    await stand.leaseHolder();
    const storeId = await createTestStore(other);
    const certificateId = await issueOne(other, storeId);
    await other.lifecycle.revokeCertificate({ storeId, certificateId, cause: RevocationCause.REFUND });
    await other.lifecycle.reactivateCertificate({ storeId, certificateId });

    const types = (events: readonly StoredEvent[]) => events.map(({ event }) => event.type);
    let events = await stand.published(1, 5_000);
    // Long enough for several looks.
    await delay(700);
    events = await stand.published(1, 0);
    expect(types(events)).toEqual([EventType.ISSUED]);
    await stand.settle(other, events);
    events = await stand.published(2, 5_000);
    expect(types(events)).toEqual([EventType.ISSUED, EventType.REVOKED]);
    await stand.settle(relaying, events);
    events = await stand.published(3, 5_000);
    expect(types(events)).toEqual([EventType.ISSUED, EventType.REVOKED, EventType.REACTIVATED]);
    await stand.settle(other, events);
    expect(await stand.unsettled()).toBe(0);
  });

  test("lets only a window of a store's backlog into the stream, and all of it in the end", async (context) => {
    const stand = await openRelayTestRig(context);
    const registry = await stand.startRegistry(4);
    const storeId = await createTestStore(registry);
    await issueMany(registry, storeId, 60);
    let events = await stand.published(4, 5_000);
    await delay(700);
    for (let settled = 0; settled < 60; ) {
      events = await stand.published(Math.min(60, settled + 4), 5_000);
      expect(events.length).toBeLessThanOrEqual(settled + 4);
      await stand.settle(registry, events.slice(settled));
      settled = events.length;
    }
    expect(ofStore(events, storeId)).toEqual(await stand.certificatesOf(storeId));
    expect(await stand.unsettled()).toBe(0);
  });
});
