import type { OutboxEntry } from "./outbox.ts";

/** Flow-control limits of one store. */
export interface WindowLimits {
  /** Maximum number of events in flight: published and not settled. */
  readonly inFlightMax: number;
  /**
   * Once this many events are buffered in memory, new events stay in the outbox. Also the maximum size of a backlog
   * read. A read begins when the buffer is three quarters empty, so the buffer can exceed this number by a quarter.
   */
  readonly bufferedMax: number;
}

interface InFlightEvent {
  readonly certificateId: string;
  readonly publishedAt: number;
  /** When the next check of the event against the outbox is due. */
  checkAt: number;
}

const firstCheckMs = 500;
const checkIntervalMaxMs = 4_000;

/**
 * Flow control for one store's unsettled events: a window of events in flight, a bounded buffer in memory, and the rest
 * of the backlog in the outbox.
 *
 * - At most one event of a certificate is in flight, the earliest, so that concurrent notifiers cannot reorder its
 *   events.
 * - At most `inFlightMax` events are in flight, so that a store with a slow receiver does not fill the stream.
 * - The events in flight and in the buffer are the store's oldest, without gaps. New entries join the buffer until it
 *   is full; from then on they stay in the outbox ("backlog"), from which the buffer is refilled when it is three
 *   quarters empty.
 */
export class StoreWindow {
  readonly #limits: WindowLimits;
  /** In the order of publication. */
  readonly #inFlight = new Map<string, InFlightEvent>();
  /** No check of an event is due before. */
  #nextCheckAt = Number.POSITIVE_INFINITY;
  #buffer: OutboxEntry[] = [];
  // Event time of the latest entry that was ever buffered.
  #bufferedUpTo: Date | undefined;
  #hasBacklog = false;
  #isReading = false;
  // Whether an entry has arrived that the current read may have missed, because the read began earlier.
  #arrivedDuringRead = false;

  constructor(limits: WindowLimits) {
    this.#limits = limits;
  }

  /** Whether the store has no unsettled event as far as this window knows. */
  get isIdle(): boolean {
    return this.#inFlight.size === 0 && this.#buffer.length === 0 && !this.#hasBacklog;
  }

  /** Whether events wait in the buffer or in the outbox. */
  get isWaiting(): boolean {
    return this.#buffer.length > 0 || this.#hasBacklog;
  }

  /**
   * The backlog read that is due; undefined if none is. It starts after `time`, or at the oldest entry if `time` is
   * undefined.
   */
  get readAfter(): { readonly time: Date | undefined } | undefined {
    const isLow = this.#buffer.length <= this.#limits.bufferedMax / 4;
    return this.#hasBacklog && isLow && !this.#isReading ? { time: this.#bufferedUpTo } : undefined;
  }

  /** Records the start of the read that {@link readAfter} describes. */
  beginRead(): void {
    this.#isReading = true;
    this.#arrivedDuringRead = false;
  }

  /** Records that the outbox has entries that are not buffered. */
  noteBacklog(): void {
    this.#hasBacklog = true;
  }

  /** Buffers a new entry, or leaves it in the backlog; entries arrive in clock order. */
  add(entry: OutboxEntry): void {
    if (this.#isKnown(entry)) return;
    if (this.#hasBacklog) this.#arrivedDuringRead = true;
    else if (this.#buffer.length >= this.#limits.bufferedMax) this.#hasBacklog = true;
    else this.#append(entry);
  }

  /** Ends a read and adds the entries found. @param isAll whether the outbox had no later entry when the read began */
  completeRead(entries: readonly OutboxEntry[], isAll: boolean): void {
    for (const entry of entries) if (!this.#isKnown(entry)) this.#append(entry);
    this.#hasBacklog = !isAll || this.#arrivedDuringRead;
    this.#isReading = false;
  }

  /** Records that a read failed, so that it becomes due again. */
  failRead(): void {
    this.#isReading = false;
  }

  /** Returns the entries to publish now and counts them as in flight. */
  next(now: number): OutboxEntry[] {
    if (this.#buffer.length === 0 || this.#inFlight.size >= this.#limits.inFlightMax) return [];
    const busy = new Set(Array.from(this.#inFlight.values(), ({ certificateId }) => certificateId));
    const chosen: OutboxEntry[] = [];
    this.#buffer = this.#buffer.filter((entry) => {
      const isFree = this.#inFlight.size < this.#limits.inFlightMax && !busy.has(entry.certificateId);
      // Also marks the certificate of a skipped entry, so that a later event of the certificate cannot overtake it.
      busy.add(entry.certificateId);
      if (!isFree) return true;
      const checkAt = now + firstCheckMs;
      this.#inFlight.set(entry.eventId, { certificateId: entry.certificateId, publishedAt: now, checkAt });
      this.#nextCheckAt = Math.min(this.#nextCheckAt, checkAt);
      chosen.push(entry);
      return false;
    });
    return chosen;
  }

  /** Removes a settled event from the window. */
  settle(eventId: string): void {
    this.#inFlight.delete(eventId);
  }

  /** The ids of the events in flight. */
  get inFlight(): Iterable<string> {
    return this.#inFlight.keys();
  }

  /** When the event was published that has been in flight for longest; undefined if none is in flight. */
  get inFlightSince(): number | undefined {
    const [oldest] = this.#inFlight.values();
    return oldest?.publishedAt;
  }

  /**
   * Returns the ids of the events in flight whose outbox entries must be read now, because the notification of their
   * settlement may have been lost. The first check of an event is due half a second after its publication. The interval
   * then grows to four seconds, so that thousands of events of slow receivers do not keep the database busy.
   */
  takeChecks(now: number): string[] {
    if (now < this.#nextCheckAt) return [];
    this.#nextCheckAt = Number.POSITIVE_INFINITY;
    const eventIds: string[] = [];
    for (const [eventId, event] of this.#inFlight) {
      if (event.checkAt <= now) {
        event.checkAt = now + Math.min(checkIntervalMaxMs, Math.max(firstCheckMs, now - event.publishedAt));
        eventIds.push(eventId);
      }
      this.#nextCheckAt = Math.min(this.#nextCheckAt, event.checkAt);
    }
    return eventIds;
  }

  #isKnown({ at }: OutboxEntry): boolean {
    return this.#bufferedUpTo !== undefined && at <= this.#bufferedUpTo;
  }

  #append(entry: OutboxEntry): void {
    this.#buffer.push(entry);
    this.#bufferedUpTo = entry.at;
  }
}
