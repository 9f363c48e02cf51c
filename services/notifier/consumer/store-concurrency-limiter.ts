import {
  adjustAfterSkip,
  adjustConcurrency,
  initialConcurrency,
  type LatencyClass,
  type StoreConcurrency,
  shedsBefore,
  slowConcurrency,
} from "./store-concurrency.ts";

/** Releases a slot. Idempotent. */
export type Release = () => void;

/** Why no slot was acquired: the limiter is closed, or the message was shed. */
export type Rejection = "closed" | "overloaded";

/** The limits on concurrent deliveries. */
export interface StoreConcurrencyLimiterOptions {
  /** Maximum for one store. */
  readonly storeMax: number;
  /** Maximum for all slow stores together. */
  readonly slowMax: number;
  /** Maximum for all stores of unknown latency together. `slowMax + unknownMax` limits the two classes together. */
  readonly unknownMax: number;
}

interface StoreState {
  concurrency: StoreConcurrency;
  active: number;
  readonly waiters: ((answer: Release | Rejection) => void)[];
}

/** The delivery slots of one latency class. */
interface Pool {
  readonly max: number;
  active: number;
  /** Stores that have waiters and are below their own limit, in round-robin order. */
  readonly queue: Set<StoreState>;
}

const storesMax = 10_000;

/**
 * A bulkhead for deliveries: limits concurrency per store and per latency class. Waiters of one store are served in
 * FIFO order. Fast stores never wait for other stores. Slow stores share one pool and stores of unknown latency
 * another, so slots remain for fast stores however many receivers hang. The stores of a pool are served round-robin, so
 * no backlog monopolizes a pool. Not the shared Bulkhead, whose bounds are fixed and which refuses only what arrives.
 */
export class StoreConcurrencyLimiter {
  readonly #storeMax: number;
  readonly #pools: Readonly<Record<LatencyClass, Pool>>;
  readonly #stores = new Map<string, StoreState>();
  readonly #storesWithWaiters = new Set<StoreState>();
  #isClosed = false;

  constructor({ storeMax, slowMax, unknownMax }: StoreConcurrencyLimiterOptions) {
    this.#storeMax = storeMax;
    this.#pools = { fast: createPool(Infinity), unknown: createPool(unknownMax), slow: createPool(slowMax) };
  }

  /** Acquires a slot without waiting. @returns undefined if the store must wait, or the limiter is closed */
  tryAcquire(storeId: string): Release | undefined {
    if (this.#isClosed) return undefined;
    const store = this.#stateOf(storeId);
    return store.waiters.length === 0 && this.#isBelowLimit(store) && this.#hasCapacity(this.#poolOf(store))
      ? this.#grant(store)
      : undefined;
  }

  /**
   * Acquires a slot, waiting until one is free.
   *
   * @param mayWait false if the queue is full. If no slot is free, one waiter must then be shed: the newest waiter of
   * the store that comes first by {@link shedsBefore}, or this request if that store is `storeId`.
   */
  acquire(storeId: string, mayWait: boolean): Promise<Release | Rejection> {
    const release = this.tryAcquire(storeId);
    if (release !== undefined) return Promise.resolve(release);
    if (this.#isClosed) return Promise.resolve("closed");
    const store = this.#stateOf(storeId);
    if (!mayWait && !this.#shedFor(store)) return Promise.resolve("overloaded");
    return new Promise((resolve) => {
      store.waiters.push(resolve);
      this.#storesWithWaiters.add(store);
      this.#enqueue(store);
    });
  }

  /** Adjusts the store's concurrency to the duration of a finished delivery. */
  recordLatency(storeId: string, deliveryMs: number): void {
    const store = this.#stateOf(storeId);
    this.#setConcurrency(store, adjustConcurrency(store.concurrency, deliveryMs, this.#storeMax));
  }

  /** Adjusts the store's concurrency after a skipped event. */
  recordSkip(storeId: string): void {
    const store = this.#stateOf(storeId);
    this.#setConcurrency(store, adjustAfterSkip(store.concurrency, this.#storeMax));
  }

  /** Marks the store as slow because of a delivery that is still in progress. */
  markSlow(storeId: string): void {
    this.#setConcurrency(this.#stateOf(storeId), slowConcurrency);
  }

  /** Rejects all waiters and all later requests. Acquired slots remain valid until released. */
  close(): void {
    this.#isClosed = true;
    for (const store of this.#storesWithWaiters) while (store.waiters.length > 0) this.#dequeue(store)?.("closed");
  }

  /** Sheds a waiter to admit a new waiter of the store `newcomer`. @returns false if the new waiter must be shed */
  #shedFor(newcomer: StoreState): boolean {
    const loadOf = (store: StoreState) => ({
      latencyClass: store.concurrency.latencyClass,
      waiting: store.waiters.length + Number(store === newcomer),
    });
    let victim = newcomer;
    for (const store of this.#storesWithWaiters) if (shedsBefore(loadOf(store), loadOf(victim))) victim = store;
    if (victim === newcomer) return false;
    this.#dequeue(victim, victim.waiters.length - 1)?.("overloaded");
    return true;
  }

  #dequeue(store: StoreState, index = 0) {
    const [resolve] = store.waiters.splice(index, 1);
    if (store.waiters.length === 0) {
      this.#storesWithWaiters.delete(store);
      this.#poolOf(store).queue.delete(store);
    }
    return resolve;
  }

  #stateOf(storeId: string): StoreState {
    const known = this.#stores.get(storeId);
    if (known === undefined && this.#stores.size >= storesMax) this.#evictOldestIdle();
    const store = known ?? { concurrency: initialConcurrency, active: 0, waiters: [] };
    // Moves the store to the end, so that the map is in the order of last use.
    this.#stores.delete(storeId);
    this.#stores.set(storeId, store);
    return store;
  }

  #evictOldestIdle(): void {
    for (const [storeId, { active, waiters }] of this.#stores)
      if (active === 0 && waiters.length === 0) {
        this.#stores.delete(storeId);
        return;
      }
  }

  #setConcurrency(store: StoreState, concurrency: StoreConcurrency): void {
    const previous = this.#poolOf(store);
    previous.active -= store.active;
    previous.queue.delete(store);
    store.concurrency = concurrency;
    this.#poolOf(store).active += store.active;
    this.#enqueue(store);
    this.#serve();
  }

  #poolOf({ concurrency }: StoreState): Pool {
    return this.#pools[concurrency.latencyClass];
  }

  #hasCapacity(pool: Pool): boolean {
    const { fast, unknown, slow } = this.#pools;
    if (pool === fast) return true;
    // A store that turns slow keeps its slots, so the slow pool may exceed its own limit.
    return pool.active < pool.max && unknown.active + slow.active < unknown.max + slow.max;
  }

  #isBelowLimit({ concurrency, active }: StoreState): boolean {
    return active < Math.min(concurrency.limit, this.#storeMax);
  }

  #grant(store: StoreState): Release {
    let isReleased = false;
    store.active++;
    this.#poolOf(store).active++;
    return () => {
      if (isReleased) return;
      isReleased = true;
      store.active--;
      const pool = this.#poolOf(store);
      pool.active--;
      // Round-robin: the store requeues behind the others.
      pool.queue.delete(store);
      this.#enqueue(store);
      this.#serve();
    };
  }

  /** Appends the store to the queue of its pool if it has waiters and may start another delivery. */
  #enqueue(store: StoreState): void {
    if (store.waiters.length > 0 && this.#isBelowLimit(store)) this.#poolOf(store).queue.add(store);
  }

  #serve(): void {
    const { fast, unknown, slow } = this.#pools;
    for (const pool of [fast, unknown, slow])
      for (const store of pool.queue) {
        if (!this.#hasCapacity(pool)) break;
        pool.queue.delete(store);
        this.#dequeue(store)?.(this.#grant(store));
        this.#enqueue(store);
      }
  }
}

function createPool(max: number): Pool {
  return { max, active: 0, queue: new Set() };
}
