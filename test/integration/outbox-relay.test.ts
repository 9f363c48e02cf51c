import { timestampMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { Loop } from "#shared/lifecycle/loop.ts";
import { connectNats } from "#shared/nats/connect-nats.ts";
import { eventSubject, partitionOf } from "#shared/nats/event-stream.ts";
import { systemClock } from "#shared/time/clock.ts";
import { stopOver } from "../../services/registry/outbox/keep-nats-connected.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueMany, issueOne } from "../harness/issue-items.ts";
import type { TestRegistry } from "../harness/registry-fixture.ts";
import { openRelayTestRig, type RelayTestRig } from "../harness/relay-test-rig.ts";
import type { StoredEvent } from "../harness/stored-events.ts";
import { createTestStore } from "../harness/test-stores.ts";

const pollCount = 3;
// Time limit of a publish in publish-to-jetstream.ts.
const publishTimeoutMs = 5_000;

/** Waits for at least three polls of the relay: issues certificates one after another and awaits each event. */
async function letRelayPoll(rig: RelayTestRig, registry: TestRegistry): Promise<void> {
  const storeId = await createTestStore(registry);
  let events = await rig.published(0);
  for (let poll = 0; poll < pollCount; poll++) {
    await issueMany(registry, storeId, 1);
    events = await rig.published(events.length + 1);
  }
  await rig.settle(
    registry,
    events.filter(({ event }) => event.storeId === storeId),
  );
}

// Concurrent, because the tests mostly wait for reconnects and leases.
// Those with several registries: beside each other, they take minutes on a busy machine.
const alone = { concurrent: false };

describe.concurrent("the outbox relay", { timeout: 300_000 }, () => {
  const certificatesIn = (events: readonly StoredEvent[], storeId: string) =>
    events.filter(({ event }) => event.storeId === storeId).map(({ event }) => event.certificateId);

  const distinctIds = (events: readonly StoredEvent[]) => new Set(events.map(({ messageId }) => messageId)).size;

  test("publishes every event once, with its id and subject, in the order of each store's clock", async (context) => {
    const rig = await openRelayTestRig(context);
    const registry = await rig.startRegistry();
    const stores = await Promise.all([1, 2, 3].map(() => createTestStore(registry)));
    for (let round = 0; round < 5; round++) await Promise.all(stores.map((storeId) => issueMany(registry, storeId, 8)));

    const events = await rig.published(120);
    expect(events).toHaveLength(120);
    expect(distinctIds(events)).toBe(120);
    for (const { subject, messageId, event } of events) {
      expect(messageId).toBe(event.id);
      expect(subject).toBe(`certificates.${partitionOf(event.storeId)}.${event.storeId}.1.${event.id}`);
      expect(subject).toBe(eventSubject(event.storeId, event.type, event.id));
      expect(event.type).toBe(EventType.ISSUED);
    }
    for (const storeId of stores) {
      expect(certificatesIn(events, storeId)).toEqual(await rig.certificatesOf(storeId));
      const times = events
        .filter(({ event }) => event.storeId === storeId)
        .map(({ event }) => (event.occurredAt === undefined ? Number.NaN : timestampMs(event.occurredAt)));
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }
  });

  test("publishes an event of a type that only a later version knows, for the notifiers of that version", async (context) => {
    const rig = await openRelayTestRig(context);
    const registry = await rig.startRegistry();
    const storeId = await createTestStore(registry);
    const certificateId = await issueOne(registry, storeId);
    const { outbox } = rig.database.collections;
    const entry = await outbox.findOne({ store: storeId });
    if (entry === null) throw new Error("no event");
    await rig.settle(registry, await rig.published(1));
    const { taken: _taken, ...fields } = entry;
    await outbox.insertOne({ ...fields, _id: "evt_later", type: 99, at: new Date(entry.at.getTime() + 1) });
    const events = await rig.published(2);
    expect(events.map(({ subject, messageId, event }) => [subject, messageId, event.certificateId]).at(-1)).toEqual([
      `certificates.${partitionOf(storeId)}.${storeId}.99.evt_later`,
      "evt_later",
      certificateId,
    ]);
  });

  test("waits for a NATS server that starts later, without blocking the registry", async (context) => {
    const rig = await openRelayTestRig(context);
    await rig.nats.stop();
    const registry = await rig.startRegistry();
    const storeId = await createTestStore(registry);
    await issueMany(registry, storeId, 5);
    await rig.nats.start();
    const events = await rig.published(5);
    expect(certificatesIn(events, storeId)).toEqual(await rig.certificatesOf(storeId));
  });

  test("keeps events while NATS is unavailable and then publishes each once", async (context) => {
    const rig = await openRelayTestRig(context);
    const registry = await rig.startRegistry();
    const storeId = await createTestStore(registry);
    await issueMany(registry, storeId, 10);
    await rig.published(10);

    await rig.nats.stop();
    for (let call = 0; call < 10; call++) await issueMany(registry, storeId, 3);
    await rig.nats.start();

    const events = await rig.published(40);
    expect(events).toHaveLength(40);
    expect(distinctIds(events)).toBe(40);
    // Certificates have no order among each other: what waited for a reply during the outage is published again later.
    expect(certificatesIn(events, storeId).toSorted()).toEqual((await rig.certificatesOf(storeId)).toSorted());
  });

  test("recreates the stream and publishes unsettled events again when NATS has lost its data", async (context) => {
    const rig = await openRelayTestRig(context);
    const registry = await rig.startRegistry();
    const storeId = await createTestStore(registry);
    await issueMany(registry, storeId, 1);
    await rig.published(1);

    await rig.nats.stop();
    await rig.nats.deleteData();
    await issueMany(registry, storeId, 4);
    await rig.nats.start();

    // Five events: the lost event was not settled, so the relay publishes it again.
    const events = await rig.published(5);
    expect(certificatesIn(events, storeId)).toEqual(await rig.certificatesOf(storeId));
  });

  test("waits at shutdown only for the publishes in progress while NATS is unavailable", async (context) => {
    const rig = await openRelayTestRig(context);
    let shortestMs = Number.POSITIVE_INFINITY;
    // Takes the fastest of several shutdowns, because the machine may be busy.
    for (let events = 3; events <= 15 && shortestMs >= 2 * publishTimeoutMs; events += 3) {
      const registry = await rig.startRegistry();
      const storeId = await createTestStore(registry);
      await rig.whenRelaying([registry], [16]);
      await rig.nats.stop();
      await issueMany(registry, storeId, 3);
      const beginAt = performance.now();
      await rig.stopRegistry(registry);
      shortestMs = Math.min(shortestMs, performance.now() - beginAt);
      expect(await rig.unsettled()).toBe(events);
      expect(await rig.database.collections.leases.countDocuments({ lease: { $exists: true } })).toBe(0);
      await rig.nats.start();
    }
    expect(shortestMs).toBeLessThan(2 * publishTimeoutMs);
  });

  test("ends what waits for an unavailable NATS at once when it stops", async (context) => {
    const rig = await openRelayTestRig(context);
    const connection = await connectNats({ servers: [rig.nats.url] }, "registry");
    await rig.nats.stop();
    const publishing = connection
      .jetstream({ timeout: 3_600_000 })
      .publish("certificates.test")
      .then(
        () => "published",
        () => "given up",
      );
    await eventually(() => expect(connection.info).toBeUndefined());
    await stopOver(connection, async () => expect(await publishing).toBe("given up"));
  });

  test(
    "divides the partitions of stores equally among three registries and publishes the events of all",
    alone,
    async (context) => {
      const rig = await openRelayTestRig(context);
      const registries = [await rig.startRegistry(), await rig.startRegistry(), await rig.startRegistry()] as const;
      const [first, second, third] = registries;
      await rig.whenRelaying(registries, [5, 5, 6]);
      const leases = await rig.partitionLeases();
      const stores = await Promise.all(Array.from({ length: 12 }, () => createTestStore(first)));
      const change = (registry: TestRegistry) => stores.map((storeId) => issueMany(registry, storeId, 2));
      for (let round = 0; round < 3; round++) await Promise.all(registries.flatMap(change));

      const events = await rig.published(216);
      expect(events).toHaveLength(216);
      expect(distinctIds(events)).toBe(216);
      for (const storeId of stores) expect(certificatesIn(events, storeId)).toEqual(await rig.certificatesOf(storeId));
      // No partition has moved.
      expect(await rig.partitionLeases()).toEqual(leases);
      await rig.stopRegistry(first);
      await rig.whenRelaying([second, third], [8, 8]);
    },
  );

  test("moves to another registry immediately when a registry shuts down", alone, async (context) => {
    const rig = await openRelayTestRig(context);
    const [first, second] = [await rig.startRegistry(), await rig.startRegistry()];
    await rig.whenRelaying([first, second], [8, 8]);
    const stores = await Promise.all(Array.from({ length: 8 }, () => createTestStore(second)));
    const leases = await rig.partitionLeases();
    await rig.stopRegistry(first);
    const remaining = [...(await rig.partitionLeases())].filter(([id, token]) => leases.get(id) === token);
    // Those of the second registry: it did not wait until the leases of the first one expired.
    expect(remaining.length).toBeLessThanOrEqual(8);
    for (const storeId of stores) await issueMany(second, storeId, 3);
    expect(await rig.published(24)).toHaveLength(24);
    await rig.whenRelaying([second], [16]);
  });

  test(
    "relays the free partitions at once, and those of a killed registry when their leases have expired",
    alone,
    async (context) => {
      const rig = await openRelayTestRig(context);
      const { leases } = rig.database.collections;
      const killed = await rig.startRegistry();
      const stores = await Promise.all(Array.from({ length: 8 }, () => createTestStore(killed)));
      await rig.whenRelaying([killed], [16]);
      await rig.stopRegistry(killed);
      // Stands in for another registry, which renews its leases until it is killed.
      const lost = [0, 1, 2, 3, 4, 5, 6, 7];
      const _id = { $in: ["outbox-relay/seat/15", ...lost.map((partition) => `outbox-relay/${partition}`)] };
      const renew = async () => {
        const until = (await rig.database.now()).getTime() + 4_000;
        const lease = { token: "dead", until, since: 0, abandoned: 0, wakes: 0 };
        await leases.updateMany({ _id }, { $set: { dueAt: new Date(until), lease } });
        return 500;
      };
      await renew();
      const other = new Loop({ clock: systemClock, step: renew });
      context.onTestFinished(() => other.stop());
      other.start();
      const registry = await rig.startRegistry();
      await rig.whenRelaying([registry], [8]);
      await other.stop();
      for (const storeId of stores) await issueMany(registry, storeId, 3);
      await rig.whenRelaying([registry], [16]);
      expect(await rig.published(24)).toHaveLength(24);
      expect([...(await rig.partitionLeases()).values()]).not.toContain("dead");
    },
  );

  test("publishes a certificate's next event only once the previous event has been settled through any registry", async (context) => {
    const rig = await openRelayTestRig(context);
    const [relaying, other] = [await rig.startRegistry(), await rig.startRegistry()];
    await rig.whenRelaying([relaying, other], [8, 8]);
    const storeId = await createTestStore(other);
    const certificateId = await issueOne(other, storeId);
    await other.lifecycle.revokeCertificate({ certificateId, cause: RevocationCause.REFUND }, inStore(storeId));
    await other.lifecycle.reactivateCertificate({ certificateId }, inStore(storeId));

    const types = (events: readonly StoredEvent[]) => events.map(({ event }) => event.type);
    await rig.published(1);
    await letRelayPoll(rig, other);
    const ofCertificate = async (count: number) => {
      const published = await rig.published(count + pollCount);
      return published.filter(({ event }) => event.certificateId === certificateId);
    };
    let events = await ofCertificate(1);
    expect(types(events)).toEqual([EventType.ISSUED]);
    await rig.settle(other, events);
    events = await ofCertificate(2);
    expect(types(events)).toEqual([EventType.ISSUED, EventType.REVOKED]);
    await rig.settle(relaying, events);
    events = await ofCertificate(3);
    expect(types(events)).toEqual([EventType.ISSUED, EventType.REVOKED, EventType.REACTIVATED]);
    await rig.settle(other, events);
    expect(await rig.unsettled()).toBe(0);
  });

  test("limits a store's unsettled events in the stream to the store window, and drains the backlog", async (context) => {
    const rig = await openRelayTestRig(context);
    const registry = await rig.startRegistry(4);
    const storeId = await createTestStore(registry);
    await issueMany(registry, storeId, 60);
    await rig.published(4);
    await letRelayPoll(rig, registry);
    let events: StoredEvent[] = [];
    for (let settled = 0; settled < 60; ) {
      const published = await rig.published(Math.min(60, settled + 4) + pollCount);
      events = published.filter(({ event }) => event.storeId === storeId);
      expect(events.length).toBeLessThanOrEqual(settled + 4);
      await rig.settle(registry, events.slice(settled));
      settled = events.length;
    }
    expect(certificatesIn(events, storeId)).toEqual(await rig.certificatesOf(storeId));
    expect(await rig.unsettled()).toBe(0);
  });
});
