import { shedsBefore } from "./load-shedding.ts";
import {
  adjustConcurrency,
  initialConcurrency,
  type LatencyClass,
  type StoreConcurrency,
  slowConcurrency,
} from "./store-concurrency.ts";

/** Gives a slot back; calling it again does nothing. */
export type Release = () => void;

/** Why there is no slot: none is given any more, or too many wait. */
export type NoSlot = "closed" | "overloaded";

/** How many slots there are. */
export interface StoreConcurrencyLimiterOptions {
  /** Of one store. */
  readonly storeMax: number;
  /** Of all slow stores together. */
  readonly slowMax: number;
  /** Of all stores together of which nothing is known. These and the slow ones never begin more than both bounds allow. */
  readonly unprovenMax: number;
}

interface StoreState {
  concurrency: StoreConcurrency;
  taken: number;
  readonly waiting: ((answer: Release | NoSlot) => void)[];
}

/** The slots of the stores with one latencyClass. */
interface Share {
  readonly max: number;
  taken: number;
  /** Stores with somebody to serve, in the order of their turns: they lack nothing but room here. */
  readonly line: Set<StoreState>;
}

const rememberedMax = 10_000;

/**
 * Slots for deliveries to stores. Who waits gets one in the order of asking. Stores that are known to be quick never wait
 * for others. Those of which nothing is known share a bound, and so do slow ones, so however many receivers hang there is
 * room for the others. Stores of a share take turns, and who had a slot stands at the end of the line: none keeps the
 * share for its own backlog.
 */
export class StoreConcurrencyLimiter {
  readonly #storeMax: number;
  readonly #shares: Readonly<Record<LatencyClass, Share>>;
  readonly #stores = new Map<string, StoreState>();
  readonly #storesWithWaiters = new Set<StoreState>();
  #isClosed = false;

  constructor({ storeMax, slowMax, unprovenMax }: StoreConcurrencyLimiterOptions) {
    this.#storeMax = storeMax;
    this.#shares = { quick: share(Infinity), unproven: share(unprovenMax), slow: share(slowMax) };
  }

  /** A slot of the store if one is free, else undefined. None is free once the slots are closed. */
  tryAcquire(storeId: string): Release | undefined {
    if (this.#isClosed) return undefined;
    const store = this.#stateOf(storeId);
    return store.waiting.length === 0 && this.#mayHaveMore(store) && this.#hasRoom(this.#shareOf(store))
      ? this.#take(store)
      : undefined;
  }

  /**
   * Waits for a slot of the store.
   *
   * @param hasRoom false where one more may wait only if another one is sent away: the newest of the store that crowds
   * most, which may be the one that comes
   */
  acquire(storeId: string, hasRoom: boolean): Promise<Release | NoSlot> {
    const release = this.tryAcquire(storeId);
    if (release !== undefined) return Promise.resolve(release);
    if (this.#isClosed) return Promise.resolve("closed");
    const store = this.#stateOf(storeId);
    if (!hasRoom && !this.#makeRoomFor(store)) return Promise.resolve("overloaded");
    return new Promise((resolve) => {
      store.waiting.push(resolve);
      this.#storesWithWaiters.add(store);
      this.#queue(store);
    });
  }

  /** Tells how long a delivery to the store took. */
  note(storeId: string, deliveryMs: number): void {
    const store = this.#stateOf(storeId);
    this.#change(store, adjustConcurrency(store.concurrency, deliveryMs, this.#storeMax));
  }

  /** Tells that a delivery to the store takes too long, while it is under way. */
  noteSlow(storeId: string): void {
    this.#change(this.#stateOf(storeId), slowConcurrency);
  }

  /** Sends everyone away who waits; slots that are taken stay so until released. */
  close(): void {
    this.#isClosed = true;
    for (const store of this.#storesWithWaiters)
      while (store.waiting.length > 0) this.#next(store)?.("closed");
  }

  #makeRoomFor(newcomer: StoreState): boolean {
    const loadOf = (store: StoreState) => ({
      latencyClass: store.concurrency.latencyClass,
      waiting: store.waiting.length + Number(store === newcomer),
    });
    let most = newcomer;
    for (const store of this.#storesWithWaiters) if (shedsBefore(loadOf(store), loadOf(most))) most = store;
    if (most === newcomer) return false;
    this.#next(most, most.waiting.length - 1)?.("overloaded");
    return true;
  }

  /** Takes one out who waits, by default the first. */
  #next(store: StoreState, index = 0) {
    const [resolve] = store.waiting.splice(index, 1);
    if (store.waiting.length === 0) {
      this.#storesWithWaiters.delete(store);
      this.#shareOf(store).line.delete(store);
    }
    return resolve;
  }

  #stateOf(storeId: string): StoreState {
    const known = this.#stores.get(storeId);
    if (known !== undefined) return known;
    if (this.#stores.size >= rememberedMax) this.#forgetIdle();
    const store: StoreState = { concurrency: initialConcurrency, taken: 0, waiting: [] };
    this.#stores.set(storeId, store);
    return store;
  }

  #forgetIdle(): void {
    for (const [storeId, { taken, waiting }] of this.#stores)
      if (taken === 0 && waiting.length === 0) this.#stores.delete(storeId);
  }

  #change(store: StoreState, concurrency: StoreConcurrency): void {
    const { taken } = store;
    const before = this.#shareOf(store);
    before.taken -= taken;
    before.line.delete(store);
    store.concurrency = concurrency;
    this.#shareOf(store).taken += taken;
    this.#queue(store);
    this.#serve();
  }

  #shareOf({ concurrency }: StoreState): Share {
    return this.#shares[concurrency.latencyClass];
  }

  #hasRoom(share: Share): boolean {
    const { quick, unproven, slow } = this.#shares;
    if (share === quick) return true;
    // Those that turned out slow keep their slots, so that share may hold more than its bound.
    return share.taken < share.max && unproven.taken + slow.taken < unproven.max + slow.max;
  }

  #mayHaveMore({ concurrency, taken }: StoreState): boolean {
    return taken < Math.min(concurrency.limit, this.#storeMax);
  }

  #take(store: StoreState): Release {
    let isReleased = false;
    store.taken++;
    this.#shareOf(store).taken++;
    return () => {
      if (isReleased) return;
      isReleased = true;
      store.taken--;
      const share = this.#shareOf(store);
      share.taken--;
      share.line.delete(store);
      this.#queue(store);
      this.#serve();
    };
  }

  /** Gives the store a place at the end of its share's line, if it has none and could use a slot. */
  #queue(store: StoreState): void {
    if (store.waiting.length > 0 && this.#mayHaveMore(store)) this.#shareOf(store).line.add(store);
  }

  #serve(): void {
    const { quick, unproven, slow } = this.#shares;
    for (const share of [quick, unproven, slow])
      for (const store of share.line) {
        if (!this.#hasRoom(share)) break;
        share.line.delete(store);
        this.#next(store)?.(this.#take(store));
        this.#queue(store);
      }
  }
}

function share(max: number): Share {
  return { max, taken: 0, line: new Set() };
}
