/** Bounds of a {@link Bulkhead}. */
export interface BulkheadBounds {
  /** Maximum number of tickets in flight. */
  readonly inFlightMax: number;
  /** Maximum number of tickets in flight per store. */
  readonly inFlightPerStoreMax: number;
  /** Maximum number of waiting tickets. */
  readonly waitingMax: number;
}

/** A unit of work that occupies a place in a {@link Bulkhead}. Waiting tickets are compared by identity. */
export interface Ticket {
  /** The store that the work belongs to, or another string that identifies the caller. */
  readonly store: string;
}

interface StoreState<T extends Ticket> {
  inFlight: number;
  /** In order of arrival. A Set, because any waiting ticket can be removed. */
  readonly waiting: Set<T>;
  /** The virtual time up to which the store has used its share. */
  usedUntil: number;
}

// A store that has used less than its share may start up to this many tickets ahead of stores that use all of theirs.
const creditMax = 16;
// At least every fourth start belongs to the store that has waited longest, so that new stores cannot starve it.
const passedOverMax = 3;
const rememberedStoresMin = 1_000;

/**
 * Decides which work starts now, which waits and which is refused: a bulkhead with fair queues. Pure bookkeeping,
 * without timers or promises.
 *
 * - Work in flight is bounded in total and per store.
 * - A store's tickets start in order of arrival. Stores share the starts by start-time fair queueing (Goyal, Vin and
 *   Cheng, SIGCOMM 1996): each start uses one unit of the store's virtual time, and the store that has used least is
 *   next. A store that used less than its share has a credit of up to `creditMax` starts, so that floods from other
 *   stores do not delay it, even if each flooding store has only one ticket at a time.
 * - A store may use at most half of the waiting places that other stores leave free (Choudhury and Hahne, "Dynamic
 *   Queue Length Thresholds for Shared-Memory Packet Switches", 1998), so that a store without waiting work finds a
 *   place.
 */
export class Bulkhead<T extends Ticket> {
  readonly #bounds: BulkheadBounds;
  // Stores with work, and some stores without work whose past use still counts against them.
  readonly #stores = new Map<string, StoreState<T>>();
  // The stores that have waiting tickets and fewer tickets in flight than their bound; the longest-waiting store first.
  readonly #ready = new Set<string>();
  // The virtual time reached by stores that use all of their share.
  #virtualTime = 0;
  // The number of consecutive starts that passed over the store that has waited longest.
  #passedOver = 0;
  #inFlight = 0;
  #waiting = 0;
  #rememberedStoresMax = rememberedStoresMin;

  constructor(bounds: BulkheadBounds) {
    this.#bounds = bounds;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Number of stores in memory: those with work, and some whose past use still counts against them. */
  get stores(): number {
    return this.#stores.size;
  }

  /**
   * Starts the ticket if the bounds permit it; otherwise queues or refuses it. Assumes that no waiting ticket can
   * start: after each {@link finish}, the caller must call {@link startNext} until it returns undefined.
   */
  arrive(ticket: T): "started" | "queued" | "refused" {
    const { store } = ticket;
    const state = this.#stores.get(store) ?? { inFlight: 0, waiting: new Set(), usedUntil: Number.NEGATIVE_INFINITY };
    const isRoom = this.#inFlight < this.#bounds.inFlightMax && this.#canStart(state);
    if (!isRoom && state.waiting.size >= this.#bounds.waitingMax - this.#waiting) return "refused";
    this.#remember(store, state);
    if (isRoom) {
      this.#virtualTime = Math.max(this.#virtualTime, this.#startTimeOf(state));
      this.#begin(state);
      return "started";
    }
    if (this.#canStart(state)) this.#ready.add(store);
    state.waiting.add(ticket);
    this.#waiting++;
    return "queued";
  }

  /** Estimates how many service times pass before the newest waiting ticket of a store starts. */
  roundsBefore(store: string): number {
    const state = this.#stores.get(store);
    if (state === undefined) return 0;
    const own = state.waiting.size;
    const newest = this.#startTimeOf(state) + own - 1;
    let ahead = own;
    for (const other of this.#stores.values())
      if (other !== state && other.waiting.size > 0)
        ahead += Math.min(other.waiting.size, Math.max(0, newest - this.#startTimeOf(other) + 1));
    // The store that has waited longest may start between these tickets.
    ahead = Math.min(this.#waiting, ahead * (1 + 1 / passedOverMax));
    return Math.max(own / this.#bounds.inFlightPerStoreMax, ahead / this.#bounds.inFlightMax);
  }

  /** Starts the ticket whose turn it is, and returns it; undefined when no ticket can start. */
  startNext(): T | undefined {
    if (this.#inFlight >= this.#bounds.inFlightMax) return undefined;
    const store = this.#nextStore();
    const state = store === undefined ? undefined : this.#stores.get(store);
    const ticket = state && first(state.waiting);
    if (store === undefined || state === undefined || ticket === undefined) return undefined;
    state.waiting.delete(ticket);
    this.#waiting--;
    this.#begin(state);
    this.#ready.delete(store);
    if (state.waiting.size > 0 && this.#canStart(state)) this.#ready.add(store);
    return ticket;
  }

  /** Removes a waiting ticket. @returns whether it was waiting */
  leave(ticket: T): boolean {
    const { store } = ticket;
    const state = this.#stores.get(store);
    if (state === undefined || !state.waiting.delete(ticket)) return false;
    this.#waiting--;
    if (state.waiting.size === 0) this.#ready.delete(store);
    return true;
  }

  /** Releases a place of the ticket's store. @throws Error if the store has no ticket in flight */
  finish(ticket: T): void {
    const { store } = ticket;
    const state = this.#stores.get(store);
    if (state === undefined || state.inFlight === 0) throw new Error("the ticket is not in flight");
    state.inFlight--;
    this.#inFlight--;
    if (state.waiting.size > 0) this.#ready.add(store);
  }

  #nextStore(): string | undefined {
    const longestWaiting = first(this.#ready);
    let leastUsed = longestWaiting;
    let startTime = Number.POSITIVE_INFINITY;
    for (const store of this.#ready) {
      const state = this.#stores.get(store);
      if (state === undefined || this.#startTimeOf(state) >= startTime) continue;
      leastUsed = store;
      startTime = this.#startTimeOf(state);
    }
    if (leastUsed === undefined) return undefined;
    this.#virtualTime = Math.max(this.#virtualTime, startTime);
    if (leastUsed === longestWaiting) this.#passedOver = 0;
    else if (++this.#passedOver > passedOverMax) {
      this.#passedOver = 0;
      return longestWaiting;
    }
    return leastUsed;
  }

  #startTimeOf({ usedUntil }: StoreState<T>): number {
    return Math.max(usedUntil, this.#virtualTime - creditMax);
  }

  #canStart({ inFlight }: StoreState<T>): boolean {
    return inFlight < this.#bounds.inFlightPerStoreMax;
  }

  #begin(state: StoreState<T>): void {
    state.usedUntil = this.#startTimeOf(state) + 1;
    state.inFlight++;
    this.#inFlight++;
  }

  #remember(store: string, state: StoreState<T>): void {
    this.#stores.set(store, state);
    if (this.#stores.size <= this.#rememberedStoresMax) return;
    for (const [other, { inFlight, waiting }] of this.#stores)
      if (inFlight === 0 && waiting.size === 0 && other !== store) this.#stores.delete(other);
    this.#rememberedStoresMax = Math.max(rememberedStoresMin, 2 * this.#stores.size);
  }
}

function first<V>(values: Set<V>): V | undefined {
  return values.values().next().value;
}
