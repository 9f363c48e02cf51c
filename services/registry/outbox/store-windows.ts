import type { OutboxEntry } from "./outbox.ts";
import { StoreWindow, type WindowLimits } from "./store-window.ts";

/** What a store's window wants to have read. */
export interface BacklogRead {
  readonly storeId: string;
  /** Undefined: from the beginning. */
  readonly after: Date | undefined;
  /** What was found. @param isAll whether nothing came after these when the read began */
  add(entries: readonly OutboxEntry[], isAll: boolean): void;
  /** It could not be read, and is to be read again. */
  giveUp(): void;
}

/** What a relay has in hand. */
export type RelayLoad = Pick<StoreWindows, "outCount" | "waitingStoreCount">;

/** The windows of all stores that have unsettled events. */
export class StoreWindows {
  readonly #limits: WindowLimits;
  readonly #stores = new Map<string, StoreWindow>();
  readonly #storeOf = new Map<string, string>();
  // Stores that may have something to publish, or to read: with many stores, most have neither. Who comes again comes last.
  readonly #mayPublish = new Set<string>();
  readonly #mayRead = new Set<string>();

  constructor(limits: WindowLimits) {
    this.#limits = limits;
  }

  /** Events that are out. */
  get outCount(): number {
    return this.#storeOf.size;
  }

  /** Stores that have something waiting. */
  get waitingStoreCount(): number {
    return [...this.#stores.values()].filter(({ isWaiting }) => isWaiting).length;
  }

  /** Forgets everything: what is known must be read anew. */
  clear(): void {
    this.#stores.clear();
    this.#storeOf.clear();
    this.#mayPublish.clear();
    this.#mayRead.clear();
  }

  /** Forgets a store: its unsettled events are read, and published, anew. */
  restart(storeId: string): void {
    for (const [eventId, owner] of this.#storeOf) if (owner === storeId) this.#storeOf.delete(eventId);
    this.#stores.delete(storeId);
    this.noteStored([storeId]);
  }

  /** These stores have entries in the outbox; stores that are known already are left as they are. */
  noteStored(storeIds: readonly string[]): void {
    for (const storeId of storeIds) {
      if (this.#stores.has(storeId)) continue;
      this.#open(storeId).noteStored();
      this.#mayRead.add(storeId);
    }
  }

  /** New entries, those of one store in the order of its clock. */
  add(entries: readonly OutboxEntry[]): void {
    for (const entry of entries) {
      (this.#stores.get(entry.storeId) ?? this.#open(entry.storeId)).add(entry);
      this.#mayPublish.add(entry.storeId);
      this.#mayRead.add(entry.storeId);
    }
  }

  /** What is to be read from the outbox now, of so many stores at the most: those come next whose turn was longest ago. */
  beginReads(countMax: number): BacklogRead[] {
    const reads: BacklogRead[] = [];
    for (const storeId of this.#mayRead) {
      if (reads.length >= countMax) break;
      this.#mayRead.delete(storeId);
      const window = this.#stores.get(storeId);
      if (window?.readAfter === undefined) continue;
      reads.push(this.#beginRead(storeId, window, window.readAfter.time));
    }
    return reads;
  }

  /** What is to be published now, about so many at the most; one event of a certificate at a time. */
  next(now: number, countMax: number): OutboxEntry[] {
    const entries: OutboxEntry[] = [];
    for (const storeId of this.#mayPublish) {
      if (entries.length >= countMax) break;
      this.#mayPublish.delete(storeId);
      entries.push(...(this.#stores.get(storeId)?.next(now) ?? []));
      this.#mayRead.add(storeId);
    }
    for (const { eventId, storeId } of entries) this.#storeOf.set(eventId, storeId);
    return entries;
  }

  /** Events are settled; those that are not out are none of ours. */
  settle(eventIds: readonly string[]): void {
    for (const eventId of eventIds) {
      const storeId = this.#storeOf.get(eventId);
      if (storeId === undefined) continue;
      this.#storeOf.delete(eventId);
      const window = this.#stores.get(storeId);
      window?.settle(eventId);
      this.#mayPublish.add(storeId);
      if (window?.isIdle) this.#stores.delete(storeId);
    }
  }

  /** The events that are out since before a time, with their stores. */
  outBefore(time: number): { readonly storeId: string; readonly eventIds: readonly string[] }[] {
    return [...this.#stores].flatMap(([storeId, window]) => {
      const eventIds = window.outBefore(time);
      return eventIds.length === 0 ? [] : [{ storeId, eventIds }];
    });
  }

  #beginRead(storeId: string, window: StoreWindow, after: Date | undefined): BacklogRead {
    window.beginRead();
    // Forgotten since the read began: what a new window knows begins elsewhere.
    const isCurrent = () => this.#stores.get(storeId) === window;
    return {
      storeId,
      after,
      add: (entries, isAll) => {
        if (!isCurrent()) return;
        window.addStored(entries, isAll);
        this.#mayPublish.add(storeId);
        this.#mayRead.add(storeId);
        if (window.isIdle) this.#stores.delete(storeId);
      },
      giveUp: () => {
        window.endRead();
        if (isCurrent()) this.#mayRead.add(storeId);
      },
    };
  }

  #open(storeId: string): StoreWindow {
    const window = new StoreWindow(this.#limits);
    this.#stores.set(storeId, window);
    return window;
  }
}
