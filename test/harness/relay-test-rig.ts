import { expect, type TestContext } from "vitest";
import { eventually } from "./eventually.ts";
import { metricValues } from "./metric-values.ts";
import { startTestRegistry, type TestRegistry } from "./registry-fixture.ts";
import { type StoredEvent, storedEvents } from "./stored-events.ts";
import { openTestDatabase, type TestDatabase } from "./test-database.ts";
import { startTestNats, type TestNats } from "./test-nats.ts";

// Several registries share the test's process with other tests.
const withinMs = 180_000;

/** A database and a NATS server for one test, with the registries that relay events from the database to NATS. */
export class RelayTestRig {
  readonly nats: TestNats;
  readonly database: TestDatabase;
  readonly #running = new Set<TestRegistry>();

  constructor(nats: TestNats, database: TestDatabase) {
    this.nats = nats;
    this.database = database;
  }

  /** Starts a registry. @param window maximum number of unsettled events per store in the stream */
  async startRegistry(window = 1_000): Promise<TestRegistry> {
    const registry = await startTestRegistry({
      database: this.database,
      natsUrl: this.nats.url,
      env: { REGISTRY_STORE_WINDOW: String(window) },
    });
    this.#running.add(registry);
    return registry;
  }

  async stopRegistry(registry: TestRegistry): Promise<void> {
    this.#running.delete(registry);
    await registry.stop();
  }

  /** Counts the events without an outcome. */
  unsettled(): Promise<number> {
    return this.database.collections.outbox.countDocuments();
  }

  /** Waits until the stream contains at least `count` events. @returns all its events */
  async published(count: number): Promise<StoredEvent[]> {
    return eventually(
      async () => {
        const events = await storedEvents(this.nats.url);
        expect(events.length).toBeGreaterThanOrEqual(count);
        return events;
      },
      { withinMs },
    );
  }

  /** Settles events as a notifier does for stores without a webhook. */
  async settle({ notifier }: TestRegistry, events: readonly StoredEvent[]): Promise<void> {
    const claims = events.map(({ event: { id, storeId, certificateId, type } }) => ({
      eventId: id,
      storeId,
      certificateId,
      type,
    }));
    await notifier.claimDeliveries({ notifierId: "test", claims });
  }

  /** Returns the ids of a store's certificates, in the order of the store's clock. */
  async certificatesOf(storeId: string): Promise<string[]> {
    const { certificates } = this.database.collections;
    const found = await certificates.find({ store: storeId }).sort({ updatedAt: 1 }).toArray();
    return found.map(({ _id }) => _id);
  }

  /** Waits until these registries relay the given numbers of partitions. */
  async whenRelaying(registries: readonly TestRegistry[], counts: readonly number[]): Promise<void> {
    const check = async () => {
      const relayed = await Promise.all(registries.map(relayedPartitions));
      expect(relayed.toSorted((one, other) => one - other)).toEqual(counts);
    };
    await eventually(check, { withinMs });
  }

  /** Returns the tokens of the partitions' leases, by the ids of their documents. */
  async partitionLeases(): Promise<Map<string, string>> {
    const leased = await this.database.collections.leases.find({ _id: /^outbox-relay\/\d+$/ }).toArray();
    return new Map(leased.flatMap(({ _id, lease }) => (lease === undefined ? [] : [[_id, lease.token]])));
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#running, (registry) => registry.stop()));
  }
}

/** Returns the number of partitions that a registry relays. */
async function relayedPartitions({ operationsUrl }: TestRegistry): Promise<number> {
  return (await metricValues(operationsUrl, "registry_relay_partitions"))[""] ?? 0;
}

/** Opens a rig and closes it at the end of the test. */
export async function openRelayTestRig({ onTestFinished }: TestContext): Promise<RelayTestRig> {
  const rig = new RelayTestRig(
    ...(await Promise.all([startTestNats(onTestFinished), openTestDatabase(onTestFinished)])),
  );
  onTestFinished(() => rig.close());
  return rig;
}
