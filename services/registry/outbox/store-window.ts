import type { OutboxEntry } from "./outbox.ts";

/** How much of a store's backlog may be where. */
export interface WindowLimits {
  /** Events that are published and not settled. */
  readonly out: number;
  /** Events that wait in memory; the others wait in the outbox. */
  readonly held: number;
}

interface OutEntry {
  readonly certificateId: string;
  readonly since: number;
}

/**
 * What the relay knows of one store's unsettled events. Of a certificate only one is out at a time, the earliest, so that
 * whoever delivers them, and how many do, no later one can overtake it; and of a store only so many are out, so that its
 * backlog lies here and in the outbox, where it is in nobody's way.
 */
export class StoreWindow {
  readonly #limits: WindowLimits;
  readonly #out = new Map<string, OutEntry>();
  // In the order of the store's clock: all that is known after what is out, without a hole.
  #held: OutboxEntry[] = [];
  #knownUpTo: Date | undefined;
  #isMoreStored = false;
  #isReading = false;
  // The read under way began before it was there, and may not have found it.
  #cameWhileReading = false;

  constructor(limits: WindowLimits) {
    this.#limits = limits;
  }

  /** Nothing is known that is not settled. */
  get isIdle(): boolean {
    return this.#out.size === 0 && this.#held.length === 0 && !this.#isMoreStored;
  }

  /** Something waits for what is out. */
  get isWaiting(): boolean {
    return this.#held.length > 0 || this.#isMoreStored;
  }

  /** Everything after this is to be read from the outbox; undefined when nothing has to be read now. */
  get readAfter(): { readonly time: Date | undefined } | undefined {
    const isLow = this.#held.length <= this.#limits.held / 4;
    return this.#isMoreStored && isLow && !this.#isReading ? { time: this.#knownUpTo } : undefined;
  }

  /** The outbox is being read as {@link readAfter} says. */
  beginRead(): void {
    this.#isReading = true;
    this.#cameWhileReading = false;
  }

  /** There are entries in the outbox that are not known here. */
  noteStored(): void {
    this.#isMoreStored = true;
  }

  /** The store's next entry, as it came into the outbox. */
  add(entry: OutboxEntry): void {
    if (this.#isKnown(entry)) return;
    if (this.#isMoreStored) this.#cameWhileReading = true;
    else if (this.#held.length >= this.#limits.held) this.#isMoreStored = true;
    else this.#hold(entry);
  }

  /** What was read. @param isAll whether nothing came after these when the read began */
  addStored(entries: readonly OutboxEntry[], isAll: boolean): void {
    for (const entry of entries) if (!this.#isKnown(entry)) this.#hold(entry);
    this.#isMoreStored = !isAll || this.#cameWhileReading;
    this.endRead();
  }

  /** The read is over; without {@link addStored} it has found nothing, not even the end. */
  endRead(): void {
    this.#isReading = false;
  }

  /** The entries that are to be published now: they count as out. */
  next(now: number): OutboxEntry[] {
    if (this.#held.length === 0 || this.#out.size >= this.#limits.out) return [];
    const busy = new Set(Array.from(this.#out.values(), ({ certificateId }) => certificateId));
    const chosen: OutboxEntry[] = [];
    this.#held = this.#held.filter((entry) => {
      const isFree = this.#out.size < this.#limits.out && !busy.has(entry.certificateId);
      busy.add(entry.certificateId);
      if (!isFree) return true;
      this.#out.set(entry.eventId, { certificateId: entry.certificateId, since: now });
      chosen.push(entry);
      return false;
    });
    return chosen;
  }

  /** An event is settled. */
  settle(eventId: string): void {
    this.#out.delete(eventId);
  }

  /** The events that are out since before a time. */
  outBefore(time: number): string[] {
    return [...this.#out].flatMap(([eventId, { since }]) => (since < time ? [eventId] : []));
  }

  #isKnown({ at }: OutboxEntry): boolean {
    return this.#knownUpTo !== undefined && at <= this.#knownUpTo;
  }

  #hold(entry: OutboxEntry): void {
    this.#held.push(entry);
    this.#knownUpTo = entry.at;
  }
}
