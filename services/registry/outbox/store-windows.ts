import { partitionOf } from "#shared/nats/event-stream.ts";
import type { OutboxEntry } from "./outbox.ts";
import { StoreWindow, type WindowLimits } from "./store-window.ts";

/** A due read of a store's backlog. Call exactly one of `complete` and `fail`. */
export interface BacklogRead {
  readonly storeId: string;
  /** The event time after which the read starts; undefined to start at the oldest entry. */
  readonly after: Date | undefined;
  /** Adds the entries found. @param isAll whether the outbox had no later entry when the read began */
  complete(entries: readonly OutboxEntry[], isAll: boolean): void;
  /** Makes the read due again. */
  fail(): void;
}

/**
 * The {@link StoreWindow}s of all stores with unsettled events, served round-robin. Two ordered sets hold the stores
 * that may have something to publish or to read; serving a store removes it, and new work appends it. A step therefore
 * does no work for stores that only wait, and every store in a set is served once before any is served again.
 */
export class StoreWindows {
  readonly #limits: WindowLimits;
  readonly #windows = new Map<string, StoreWindow>();
  readonly #storeOfInFlight = new Map<string, string>();
  readonly #mayPublish = new Set<string>();
  readonly #mayRead = new Set<string>();

  constructor(limits: WindowLimits) {
    this.#limits = limits;
  }

  /** Number of events in flight: published and not settled. */
  get inFlightCount(): number {
    return this.#storeOfInFlight.size;
  }

  /** Number of stores with events that wait to be published. */
  get waitingStoreCount(): number {
    return [...this.#windows.values()].filter(({ isWaiting }) => isWaiting).length;
  }

  clear(): void {
    this.#windows.clear();
    this.#storeOfInFlight.clear();
    this.#mayPublish.clear();
    this.#mayRead.clear();
  }

  /** Removes the windows of the stores of some partitions. */
  drop(partitions: readonly number[]): void {
    const isDropped = (storeId: string) => partitions.includes(partitionOf(storeId));
    for (const [storeId, { inFlight }] of this.#windows) {
      if (!isDropped(storeId)) continue;
      for (const eventId of inFlight) this.#storeOfInFlight.delete(eventId);
      this.#windows.delete(storeId);
      this.#mayPublish.delete(storeId);
      this.#mayRead.delete(storeId);
    }
  }

  /** Replaces a store's window with an empty one, so that its unsettled events are read and published again. */
  restart(storeId: string): void {
    // Not a search in all events in flight: an outage of the notifiers restarts the windows of all stores.
    for (const eventId of this.#windows.get(storeId)?.inFlight ?? []) this.#storeOfInFlight.delete(eventId);
    this.#windows.delete(storeId);
    this.noteBacklog([storeId]);
  }

  /** Opens windows for stores that have entries in the outbox; existing windows remain unchanged. */
  noteBacklog(storeIds: readonly string[]): void {
    for (const storeId of storeIds) {
      if (this.#windows.has(storeId)) continue;
      this.#open(storeId).noteBacklog();
      this.#mayRead.add(storeId);
    }
  }

  /** Adds new entries; the entries of each store must be in the order of the store's clock. */
  add(entries: readonly OutboxEntry[]): void {
    for (const entry of entries) {
      (this.#windows.get(entry.storeId) ?? this.#open(entry.storeId)).add(entry);
      this.#mayPublish.add(entry.storeId);
      this.#mayRead.add(entry.storeId);
    }
  }

  /** Starts the backlog reads that are due, for at most `countMax` stores. */
  beginReads(countMax: number): BacklogRead[] {
    const reads: BacklogRead[] = [];
    for (const storeId of this.#mayRead) {
      if (reads.length >= countMax) break;
      this.#mayRead.delete(storeId);
      const window = this.#windows.get(storeId);
      if (window?.readAfter === undefined) continue;
      reads.push(this.#beginRead(storeId, window, window.readAfter.time));
    }
    return reads;
  }

  /**
   * Returns the entries to publish now and counts them as in flight. May return more than `countMax`, because it takes
   * everything that a store's window allows.
   */
  next(now: number, countMax: number): OutboxEntry[] {
    const entries: OutboxEntry[] = [];
    for (const storeId of this.#mayPublish) {
      if (entries.length >= countMax) break;
      this.#mayPublish.delete(storeId);
      entries.push(...(this.#windows.get(storeId)?.next(now) ?? []));
      this.#mayRead.add(storeId);
    }
    for (const { eventId, storeId } of entries) this.#storeOfInFlight.set(eventId, storeId);
    return entries;
  }

  /** Removes settled events from their windows. @returns the events that are not in flight */
  settle(eventIds: readonly string[]): string[] {
    return eventIds.filter((eventId) => {
      const storeId = this.#storeOfInFlight.get(eventId);
      if (storeId === undefined) return true;
      this.#storeOfInFlight.delete(eventId);
      const window = this.#windows.get(storeId);
      window?.settle(eventId);
      this.#mayPublish.add(storeId);
      if (window?.isIdle) this.#windows.delete(storeId);
      return false;
    });
  }

  /** Returns the stores with an event that was published before the given time and is in flight. */
  storesInFlightSince(time: number): string[] {
    const isBefore = ({ inFlightSince }: StoreWindow) => inFlightSince !== undefined && inFlightSince < time;
    return [...this.#windows].flatMap(([storeId, window]) => (isBefore(window) ? [storeId] : []));
  }

  /**
   * Returns the ids of the events whose outbox entries must be read now; see {@link StoreWindow.takeChecks}. May return
   * more than `countMax`, because it takes all checks of a store, whose turn then comes after those of other stores.
   */
  takeChecks(now: number, countMax: number): string[] {
    const eventIds: string[] = [];
    const served: [string, StoreWindow][] = [];
    for (const [storeId, window] of this.#windows) {
      if (eventIds.length >= countMax) break;
      const due = window.takeChecks(now);
      if (due.length > 0) served.push([storeId, window]);
      eventIds.push(...due);
    }
    for (const [storeId, window] of served) {
      this.#windows.delete(storeId);
      this.#windows.set(storeId, window);
    }
    return eventIds;
  }

  #beginRead(storeId: string, window: StoreWindow, after: Date | undefined): BacklogRead {
    window.beginRead();
    // The result of a read must not be added to a window that was opened after the read began.
    const isCurrent = () => this.#windows.get(storeId) === window;
    return {
      storeId,
      after,
      complete: (entries, isAll) => {
        if (!isCurrent()) return;
        window.completeRead(entries, isAll);
        this.#mayPublish.add(storeId);
        this.#mayRead.add(storeId);
        if (window.isIdle) this.#windows.delete(storeId);
      },
      fail: () => {
        window.failRead();
        if (isCurrent()) this.#mayRead.add(storeId);
      },
    };
  }

  #open(storeId: string): StoreWindow {
    const window = new StoreWindow(this.#limits);
    this.#windows.set(storeId, window);
    return window;
  }
}
