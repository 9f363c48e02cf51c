import { expect } from "vitest";
import { allPartitions } from "#shared/nats/event-stream.ts";
import type { MongoOutbox } from "../../services/registry/mongo/outbox/mongo-outbox.ts";
import type { OutboxEntry } from "../../services/registry/outbox/outbox.ts";
import { openTestOutbox, outboxDocument } from "./outbox-fixture.ts";
import { type SeededRandom, seededRandom } from "./seeded-random.ts";
import type { TestDatabase } from "./test-database.ts";

type EventsByStore = Readonly<Record<string, readonly string[]>>;

/** A transaction that has inserted its entry but is not committed yet. */
interface OpenChange {
  /** Earliest time of the commit, in simulated milliseconds since the model's start. */
  readonly endsAt: number;
  commit(): Promise<void>;
}

const storeIds = ["sto_1", "sto_2", "sto_3", "sto_4"];
const transactionLifetimeSeconds = 15;
// More than 1.5 lifetimes, because the server looks for expired transactions twice per lifetime.
const transactionMaxMs = 2 * transactionLifetimeSeconds * 1_000;
const start = Date.parse("2026-01-01T00:00:00Z");
/** The interval at which the relay's reconciler advances the low-water mark. */
const markIntervalMs = 5_000;

/**
 * Applies random changes, relay reads and clock jumps to a real outbox with a simulated clock. Each store has at most
 * one open transaction, as its clock document enforces; a transaction can take as long as the server allows.
 */
export class OutboxModel {
  readonly #database: TestDatabase;
  readonly #random: SeededRandom;
  // Monotonic time, and the lead of the database's clock over it, which is negative once that clock has been set back.
  #passedMs = 0;
  #aheadMs = 0;
  #outbox: MongoOutbox;
  #markedAt = 0;
  readonly #clocks = new Map<string, number>();
  readonly #open = new Map<string, OpenChange>();
  readonly #committed = new Map<string, string[]>(storeIds.map((store) => [store, []]));
  readonly #read = new Map<string, string[]>(storeIds.map((store) => [store, []]));

  private constructor(database: TestDatabase, seed: number) {
    this.#database = database;
    this.#random = seededRandom(seed);
    this.#outbox = this.#openOutbox();
  }

  /** Opens a model on an empty database. */
  static async open(database: TestDatabase, seed: number): Promise<OutboxModel> {
    const model = new OutboxModel(database, seed);
    await model.#lead();
    return model;
  }

  /** Takes one random step: begins a change, reads, lets time pass, changes the leader, or sets the clock back. */
  async step(): Promise<void> {
    const choice = this.#random.below(100);
    const store = this.#random.pick(storeIds);
    if (choice < 45) await this.#begin(store);
    else if (choice < 75) await this.#poll();
    else if (choice < 96) await this.#pass(this.#random.below(markIntervalMs));
    else if (choice < 98) await this.#lead();
    else this.#setClockBack();
  }

  /**
   * Commits the open changes and reads the remaining entries.
   *
   * @returns each store's events, in commit order and in read order
   */
  async end(): Promise<{ readonly committed: EventsByStore; readonly read: EventsByStore }> {
    await this.#pass(transactionMaxMs);
    await this.#advance();
    while (await this.#poll());
    return { committed: Object.fromEntries(this.#committed), read: Object.fromEntries(this.#read) };
  }

  get #now(): number {
    return start + this.#passedMs + this.#aheadMs;
  }

  #openOutbox(): MongoOutbox {
    return openTestOutbox(this.#database, { databaseTime: () => new Date(this.#now), transactionLifetimeSeconds });
  }

  async #begin(store: string): Promise<void> {
    if (this.#open.has(store)) return;
    const at = Math.max((this.#clocks.get(store) ?? 0) + 1, this.#now);
    const id = `${store} ${at}`;
    const session = this.#database.client.startSession();
    session.startTransaction({ readConcern: { level: "snapshot" }, writeConcern: { w: "majority" } });
    await this.#database.collections.outbox.insertOne(outboxDocument(id, store, new Date(at)), { session });
    const durationMs = this.#random.below(this.#random.chance(0.3) ? transactionMaxMs : 300);
    const commit = async () => {
      await session.commitTransaction();
      await session.endSession();
      this.#open.delete(store);
      this.#clocks.set(store, at);
      this.#committed.get(store)?.push(id);
    };
    this.#open.set(store, { endsAt: this.#passedMs + durationMs, commit });
  }

  /** Reads new entries as the relay does. @returns whether there were any */
  async #poll(): Promise<boolean> {
    const entries = await this.#outbox.readNew(allPartitions, 1 + this.#random.below(5));
    this.#noteRead(entries);
    if (entries.length > 0) await this.#outbox.markTaken(entries.map(({ eventId }) => eventId));
    return entries.length > 0;
  }

  /** Simulates a relay that takes all partitions over: reads all entries that are not taken. */
  async #lead(): Promise<void> {
    this.#outbox = this.#openOutbox();
    await this.#advance();
    const { outbox } = this.#database.collections;
    const entries = await outbox.find({ taken: null }).sort({ at: 1 }).toArray();
    await this.#outbox.markTaken(entries.map(({ _id }) => _id));
    expect(await outbox.countDocuments({ taken: null })).toBe(0);
    this.#noteRead(entries.map(({ _id, store }) => ({ eventId: _id, storeId: store })));
  }

  async #pass(durationMs: number): Promise<void> {
    this.#passedMs += durationMs;
    for (const { endsAt, commit } of this.#open.values()) if (endsAt <= this.#passedMs) await commit();
    if (this.#passedMs - this.#markedAt >= markIntervalMs) await this.#advance();
  }

  async #advance(): Promise<void> {
    await this.#outbox.advanceMark();
    this.#markedAt = this.#passedMs;
  }

  #setClockBack(): void {
    // The jump of 40 to 50 s ends near the mark, so that entries appear before and after the mark.
    this.#aheadMs -= this.#random.pick([500, 40_000 + this.#random.below(10_000), 3_600_000]);
  }

  #noteRead(entries: readonly Pick<OutboxEntry, "eventId" | "storeId">[]): void {
    for (const { storeId, eventId } of entries) this.#read.get(storeId)?.push(eventId);
  }
}
