import { expect, type TestContext } from "vitest";
import { eventually } from "./eventually.ts";
import { issueItem } from "./issue-items.ts";
import { type OwnMessages, startOwnMessages } from "./own-messages.ts";
import { startTestRegistry, type TestRegistry } from "./registry-fixture.ts";
import { type StoredEvent, storedEvents } from "./stored-events.ts";
import { openTestDatabase, type TestDatabase } from "./test-database.ts";

/** A database and a NATS server of one test's own, and the registries between them. */
export class RelayStand {
  readonly messages: OwnMessages;
  readonly database: TestDatabase;
  readonly #running = new Set<TestRegistry>();

  constructor(messages: OwnMessages, database: TestDatabase) {
    this.messages = messages;
    this.database = database;
  }

  /** @param window how many events of one store may be published and not settled. Default: more than any test has */
  async startRegistry(window = 1_000): Promise<TestRegistry> {
    const registry = await startTestRegistry({
      database: this.database,
      natsUrl: this.messages.url,
      env: { REGISTRY_STORE_WINDOW: String(window) },
    });
    this.#running.add(registry);
    return registry;
  }

  async stopRegistry(registry: TestRegistry): Promise<void> {
    this.#running.delete(registry);
    await registry.stop();
  }

  /** How many events are not settled. */
  unsettled(): Promise<number> {
    return this.database.collections.outbox.countDocuments();
  }

  /** Waits until so many events are in the stream, and reads them. */
  async published(count: number, withinMs: number): Promise<StoredEvent[]> {
    return eventually(
      async () => {
        const events = await storedEvents(this.messages.url);
        expect(events.length).toBeGreaterThanOrEqual(count);
        return events;
      },
      { withinMs },
    );
  }

  /** Settles events as a notifier does whose stores have no webhook. */
  async settle({ notifier }: TestRegistry, events: readonly StoredEvent[]): Promise<void> {
    const claims = events.map(({ event: { id, storeId, certificateId, type } }) => ({
      eventId: id,
      storeId,
      certificateId,
      type,
    }));
    await notifier.claimDeliveries({ notifierId: "test", claims });
  }

  /** The ids of a store's certificates in the order of its clock. */
  async certificatesOf(storeId: string): Promise<string[]> {
    const { certificates } = this.database.collections;
    const found = await certificates.find({ store: storeId }).sort({ updatedAt: 1 }).toArray();
    return found.map(({ _id }) => _id);
  }

  /** Who relays, as soon as somebody does. */
  leaseHolder(): Promise<string> {
    const look = async () => {
      const lease = await this.database.collections.leases.findOne({ _id: "outbox-relay" });
      if (lease === null) throw new Error("nobody holds the lease");
      return lease.holder;
    };
    return eventually(look, { withinMs: 10_000 });
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#running, (registry) => registry.stop()));
    await this.messages.close();
    await this.database.close();
  }
}

/** Opens a stand that closes when the test has finished. */
export async function openRelayStand({ onTestFinished }: TestContext): Promise<RelayStand> {
  const stand = new RelayStand(...(await Promise.all([startOwnMessages(), openTestDatabase()])));
  onTestFinished(() => stand.close());
  return stand;
}

/** Issues so many certificates by hand, in one call. */
export async function issueMany({ issuing }: TestRegistry, storeId: string, count: number): Promise<void> {
  const items = Array.from({ length: count }, () => issueItem());
  await issuing.issueCertificates({ storeId, items });
}
