/** Bounds of a {@link Bulkhead}. */
export interface BulkheadBounds {
  /** Maximum number of tickets in flight. */
  readonly inFlightMax: number;
  /** Maximum number of tickets in flight per store. */
  readonly inFlightPerStoreMax: number;
  /** Maximum number of waiting tickets. */
  readonly waitingMax: number;
}

/** A unit of work that occupies a place in a {@link Bulkhead}. Compared by identity. */
export interface Ticket {
  /** The store that the work belongs to, or another text that identifies the caller. */
  readonly store: string;
}

interface StoreState<T extends Ticket> {
  inFlight: number;
  /** In order of arrival. A Set, because a ticket can leave from the middle. */
  readonly waiting: Set<T>;
}

// Every fourth start belongs to a store with a backlog, so that stores without a backlog cannot starve it.
const sparseRunMax = 3;

/**
 * Decides which work starts now, which waits and which is refused: a bulkhead with fair queues. Pure bookkeeping,
 * without timers and promises.
 *
 * - Work in flight is bounded in total and per store.
 * - A store's tickets start in order of arrival; stores take turns. A sparse store goes first: one that had neither
 *   waiting work nor work in flight, and has not started work since its last turn. So a flood from other stores does not
 *   delay it, even if each of them sends little (FQ-CoDel, RFC 8290 §4.2).
 * - A store may use at most half of the waiting places that other stores leave free (Choudhury and Hahne, "Dynamic
 *   Queue Length Thresholds for Shared-Memory Packet Switches", 1998), so that a store without waiting work finds a
 *   place.
 */
export class Bulkhead<T extends Ticket> {
  readonly #bounds: BulkheadBounds;
  readonly #stores = new Map<string, StoreState<T>>();
  // Each store with waiting tickets and fewer tickets in flight than its bound is in one of the two sets.
  readonly #sparse = new Set<string>();
  // Also holds stores that have started a ticket since their last turn and may have no other: they are not sparse.
  readonly #backlogged = new Set<string>();
  #sparseRun = 0;
  #inFlight = 0;
  #waiting = 0;

  constructor(bounds: BulkheadBounds) {
    this.#bounds = bounds;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Starts the ticket if there is room; otherwise queues or refuses it. Room means that no other ticket can start: after
   * each {@link finish}, the caller starts what can start.
   */
  arrive(ticket: T): "started" | "queued" | "refused" {
    const { store } = ticket;
    const state = this.#stores.get(store) ?? { inFlight: 0, waiting: new Set() };
    if (this.#inFlight < this.#bounds.inFlightMax && this.#canStart(state)) {
      this.#stores.set(store, state);
      this.#begin(state);
      return "started";
    }
    if (state.waiting.size >= this.#bounds.waitingMax - this.#waiting) return "refused";
    this.#stores.set(store, state);
    if (state.waiting.size === 0 && this.#canStart(state) && !this.#backlogged.has(store))
      (state.inFlight === 0 ? this.#sparse : this.#backlogged).add(store);
    state.waiting.add(ticket);
    this.#waiting++;
    return "queued";
  }

  /** Estimates how many service times pass before the newest waiting ticket of a store starts. */
  roundsBefore(store: string): number {
    const own = this.#stores.get(store)?.waiting.size ?? 0;
    // A sparse store waits for the other sparse stores, and for the starts that stores with a backlog have between them.
    const ahead =
      own === 1 && this.#sparse.has(store)
        ? this.#sparse.size * (1 + 1 / sparseRunMax)
        : Math.min(this.#waiting, own * Math.max(1, this.#sparse.size + this.#backlogged.size));
    return Math.max(own / this.#bounds.inFlightPerStoreMax, ahead / this.#bounds.inFlightMax);
  }

  /** Starts the ticket whose turn it is, and returns it; undefined when no ticket can start. */
  startNext(): T | undefined {
    if (this.#inFlight >= this.#bounds.inFlightMax) return undefined;
    for (let turn = this.#nextTurn(); turn !== undefined; turn = this.#nextTurn()) {
      const { stores, store } = turn;
      stores.delete(store);
      const state = this.#stores.get(store);
      const ticket = state && this.#canStart(state) ? first(state.waiting) : undefined;
      if (state === undefined || ticket === undefined) continue;
      this.#sparseRun = stores === this.#sparse ? this.#sparseRun + 1 : 0;
      state.waiting.delete(ticket);
      this.#waiting--;
      this.#begin(state);
      this.#backlogged.add(store);
      return ticket;
    }
    return undefined;
  }

  /** Removes a waiting ticket. @returns whether it was waiting */
  leave(ticket: T): boolean {
    const state = this.#stores.get(ticket.store);
    if (state === undefined || !state.waiting.delete(ticket)) return false;
    this.#waiting--;
    if (state.waiting.size === 0) this.#sparse.delete(ticket.store);
    this.#forgetIdle(ticket.store, state);
    return true;
  }

  /** Releases the place of a ticket in flight. */
  finish(ticket: T): void {
    const state = this.#stores.get(ticket.store);
    if (state === undefined || state.inFlight === 0) throw new Error("the ticket is not in flight");
    state.inFlight--;
    this.#inFlight--;
    const isListed = this.#sparse.has(ticket.store) || this.#backlogged.has(ticket.store);
    if (state.waiting.size > 0 && !isListed) this.#backlogged.add(ticket.store);
    this.#forgetIdle(ticket.store, state);
  }

  #nextTurn(): { readonly stores: Set<string>; readonly store: string } | undefined {
    const isBackloggedTurn = this.#sparse.size === 0 || this.#sparseRun >= sparseRunMax;
    const stores = isBackloggedTurn && this.#backlogged.size > 0 ? this.#backlogged : this.#sparse;
    const store = first(stores);
    return store === undefined ? undefined : { stores, store };
  }

  #canStart({ inFlight }: StoreState<T>): boolean {
    return inFlight < this.#bounds.inFlightPerStoreMax;
  }

  #begin(state: StoreState<T>): void {
    state.inFlight++;
    this.#inFlight++;
  }

  #forgetIdle(store: string, { inFlight, waiting }: StoreState<T>): void {
    if (inFlight === 0 && waiting.size === 0) this.#stores.delete(store);
  }
}

function first<V>(values: Set<V>): V | undefined {
  return values.values().next().value;
}
