import { setImmediate as turn } from "node:timers/promises";
import { pino } from "pino";
import { onTestFinished } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { Clock } from "#shared/time/clock.ts";
import type { Outbox, OutboxEntry } from "./outbox.ts";
import { Relay, type RelayDeps } from "./relay.ts";

/** Certificates. */
export const place = "abcdefghijklmnopqrstuvwxyz";

/** An entry named `<certificate><number>`, as `a1`; its place in its store's order is the number, then the letter. */
export function entry(eventId: string, storeId = "sto_1"): OutboxEntry {
  const certificateId = eventId.charAt(0);
  const at = new Date(Number(eventId.slice(1)) * 100 + place.indexOf(certificateId));
  return { eventId, storeId, certificateId, type: EventType.ISSUED, at, event: new Uint8Array() };
}

/** An outbox in memory. */
export class MemoryOutbox implements Outbox {
  readonly entries = new Map<string, OutboxEntry>();
  readonly taken = new Set<string>();

  constructor(entries: readonly OutboxEntry[]) {
    this.put(...entries);
  }

  put(...entries: readonly OutboxEntry[]): void {
    for (const one of entries) this.entries.set(one.eventId, one);
  }

  async fresh(countMax: number) {
    return this.#inOrder(({ eventId }) => !this.taken.has(eventId)).slice(0, countMax);
  }

  async take(eventIds: readonly string[]) {
    for (const eventId of eventIds) this.taken.add(eventId);
  }

  async takeAll() {
    await this.take([...this.entries.keys()]);
  }

  async stores() {
    return [...new Set(Array.from(this.entries.values(), ({ storeId }) => storeId))];
  }

  async ofStore(storeId: string, after: Date | undefined, countMax: number) {
    const isNext = (one: OutboxEntry) => one.storeId === storeId && (after === undefined || one.at > after);
    return this.#inOrder(isNext).slice(0, countMax);
  }

  async unsettled(eventIds: readonly string[]) {
    return eventIds.filter((eventId) => this.entries.has(eventId));
  }

  #inOrder(wanted: (entry: OutboxEntry) => boolean): OutboxEntry[] {
    return [...this.entries.values()].filter(wanted).sort((a, b) => a.at.getTime() - b.at.getTime());
  }
}

/** A relay over an outbox in memory, with a clock that jumps over every pause; `log` tells what happened. */
export function stand(entries: readonly OutboxEntry[], changes: Partial<Omit<RelayDeps, "outbox">> = {}) {
  const log: string[] = [];
  const outbox = new MemoryOutbox(entries);
  let nowMs = 0;
  const clock: Clock = {
    now: () => nowMs,
    sleep: async (durationMs, signal) => {
      if (signal?.aborted !== true) nowMs += durationMs;
      await turn();
    },
  };
  const relay = new Relay({
    outbox,
    lease: {
      hold: async () => true,
      release: async () => void log.push("release"),
    },
    prepare: async () => void log.push("prepare"),
    publish: async ({ eventId }) => void log.push(eventId),
    limits: { out: 2, held: 4 },
    clock,
    logger: pino({ level: "silent" }),
    ...changes,
  });
  onTestFinished(() => relay.stop());
  /** Lets it work for a while. */
  const work = async (turns = 50) => {
    for (let count = 0; count < turns; count++) await turn();
  };
  /** As the registry does: the entry goes, then the relay is told, if it is. */
  const settle = async (eventId: string, isNotified = true) => {
    outbox.entries.delete(eventId);
    if (isNotified) relay.settle([eventId]);
    await work();
  };
  const jump = (durationMs: number) => {
    nowMs += durationMs;
  };
  const published = () => log.filter((line) => line.length < 3);
  return { log, relay, outbox, work, settle, jump, published, now: clock.now };
}
