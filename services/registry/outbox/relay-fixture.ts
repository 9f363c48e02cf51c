import { setImmediate as nextTurn } from "node:timers/promises";
import { pino } from "pino";
import { onTestFinished } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { partitionCount, partitionOf } from "#shared/nats/event-stream.ts";
import { PassingClock } from "#shared/time/passing-clock-fixture.ts";
import { MemoryTasks } from "../leases/shared-tasks-fixture.ts";
import type { Outbox, OutboxEntry } from "./outbox.ts";
import { Relay, type RelayDeps } from "./relay.ts";

/** One-letter certificate ids for event ids such as `a1`. */
export const letters = "abcdefghijklmnopqrstuvwxyz";

/** Makes an entry from `<certificate><number>`, as in `a1`. Entries are ordered by the number, then by the letter. */
export function entry(eventId: string, storeId = "sto_1"): OutboxEntry {
  const certificateId = eventId.charAt(0);
  const at = new Date(Number(eventId.slice(1)) * 100 + letters.indexOf(certificateId));
  return { eventId, storeId, certificateId, type: EventType.ISSUED, at, event: new Uint8Array() };
}

/** An in-memory outbox whose methods tests can hook with {@link before}. */
export class MemoryOutbox implements Outbox {
  readonly entries = new Map<string, OutboxEntry>();
  readonly taken = new Set<string>();

  constructor(entries: readonly OutboxEntry[]) {
    this.put(...entries);
  }

  put(...entries: readonly OutboxEntry[]): void {
    for (const one of entries) this.entries.set(one.eventId, one);
  }

  async advanceMark() {
    // An outbox in memory has no deleted entries to skip.
  }

  async readNew(partitions: readonly number[], countMax: number) {
    const isNew = (one: OutboxEntry) => !this.taken.has(one.eventId) && partitions.includes(partitionOf(one.storeId));
    return this.#inOrder(isNew).slice(0, countMax);
  }

  async markTaken(eventIds: readonly string[]) {
    for (const eventId of eventIds) this.taken.add(eventId);
  }

  async storesWithEntries() {
    return [...new Set(Array.from(this.entries.values(), ({ storeId }) => storeId))];
  }

  async readBacklog(storeId: string, after: Date | undefined, countMax: number) {
    const isNext = (one: OutboxEntry) => one.storeId === storeId && (after === undefined || one.at > after);
    return this.#inOrder(isNext).slice(0, countMax);
  }

  async findUnsettled(eventIds: readonly string[]) {
    return eventIds.filter((eventId) => this.entries.has(eventId));
  }

  /** Runs a hook before each call of a method. */
  before(method: keyof Outbox, hook: (...args: readonly unknown[]) => unknown): void {
    const original = this[method].bind(this) as (...args: unknown[]) => Promise<unknown>;
    const hooked = async (...args: unknown[]) => {
      await hook(...args);
      return original(...args);
    };
    Object.assign(this, { [method]: hooked });
  }

  #inOrder(matches: (entry: OutboxEntry) => boolean): OutboxEntry[] {
    return [...this.entries.values()].filter(matches).sort((a, b) => a.at.getTime() - b.at.getTime());
  }
}

// Far more turns than any wait needs; a check that never passes fails within seconds.
const turnsMax = 5_000;

/** Runs the event loop until `check` does not throw. @throws the last error of `check` */
export async function until(check: () => void): Promise<void> {
  for (let turns = 0; ; turns++) {
    try {
      return check();
    } catch (error) {
      if (turns === turnsMax) throw error;
    }
    await nextTurn();
  }
}

/** Returns partitions whose leases `acquire` lets the relay claim and renew. */
export function partitionsIf(acquire: () => boolean | Promise<boolean>): RelayDeps["partitions"] {
  return new MemoryTasks(partitionCount).replica(acquire);
}

/**
 * Creates a relay over an in-memory outbox, with a simulated clock that jumps to the end of every pause. `log` records
 * the calls of `prepare`, `publish` (the event's id) and `release`.
 *
 * @param stored the outbox's entries, or an outbox that several relays share
 */
export function testRig(
  stored: readonly OutboxEntry[] | MemoryOutbox,
  changes: Partial<Omit<RelayDeps, "outbox">> = {},
) {
  const log: string[] = [];
  const outbox = stored instanceof MemoryOutbox ? stored : new MemoryOutbox(stored);
  const clock = new PassingClock();
  const { partitions = partitionsIf(() => true) } = changes;
  const relay = new Relay({
    outbox,
    prepare: async () => void log.push("prepare"),
    publish: async ({ eventId }) => void log.push(eventId),
    limits: { inFlightMax: 2, bufferedMax: 4 },
    clock,
    logger: pino({ level: "silent" }),
    ...changes,
    partitions: {
      ...partitions,
      release: async (claims) => {
        await partitions.release(claims);
        log.push("release");
      },
    },
  });
  onTestFinished(() => relay.stop());
  /** Lets the relay run for a duration on its simulated clock. */
  const elapse = async (durationMs: number) => {
    const endMs = clock.now() + durationMs;
    for (let turns = 0; clock.now() < endMs; turns++) {
      if (turns === 10 * turnsMax) throw new Error("the relay's clock does not advance");
      await nextTurn();
    }
  };
  /** Runs the event loop until the relay waits for something other than its clock. */
  const untilBlocked = async () => {
    let idleTurns = 0;
    for (let turns = 0; idleTurns < 20; turns++) {
      if (turns === turnsMax) throw new Error("the relay is not blocked");
      const beforeMs = clock.now();
      await nextTurn();
      idleTurns = clock.now() === beforeMs ? idleTurns + 1 : 0;
    }
  };
  const published = () => log.filter((line) => line.length < 4);
  /** Settles an event once it is published: deletes its entry and, unless `isNotified` is false, notifies the relay. */
  const settle = async (eventId: string, isNotified = true) => {
    await until(() => {
      if (!log.includes(eventId)) throw new Error(`${eventId} is not published`);
    });
    outbox.entries.delete(eventId);
    if (isNotified) relay.settle([eventId]);
  };
  const jump = (durationMs: number) => clock.pass(durationMs);
  const relayedCount = () => relay.load.partitionCount;
  return { log, relay, outbox, elapse, untilBlocked, settle, jump, published, relayedCount, now: clock.now };
}
