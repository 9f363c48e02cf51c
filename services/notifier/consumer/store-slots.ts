import { firstPace, paceAfter, type StorePace } from "./store-pace.ts";

/** Gives a slot back; calling it again does nothing. */
export type Release = () => void;

/** How many slots there are. */
export interface StoreSlotsOptions {
  /** Of one store. */
  readonly storeMax: number;
  /** Of all stores together whose last delivery was slow. */
  readonly slowMax: number;
}

interface StoreState {
  pace: StorePace;
  taken: number;
  readonly waiting: ((release: Release | undefined) => void)[];
}

const rememberedMax = 10_000;

/**
 * Slots for deliveries to stores. Who waits gets one in the order of asking; stores never wait for each other, but
 * for slow ones, which share a bound of their own: however many receivers hang, there is room for the others. Slow
 * stores take turns in one line, and who had a slot stands at its end: none keeps the share for its own backlog.
 */
export class StoreSlots {
  readonly #options: StoreSlotsOptions;
  readonly #stores = new Map<string, StoreState>();
  /** Slow stores with somebody to serve, in the order of their turns: they lack nothing but room in the share. */
  readonly #line = new Set<StoreState>();
  #slowTaken = 0;
  #isClosed = false;

  constructor(options: StoreSlotsOptions) {
    this.#options = options;
  }

  /** A slot of the store if one is free, else undefined. None is free once the slots are closed. */
  tryAcquire(storeId: string): Release | undefined {
    if (this.#isClosed) return undefined;
    const store = this.#stateOf(storeId);
    return store.waiting.length === 0 && this.#isFree(store) ? this.#take(store) : undefined;
  }

  /** Waits for a slot of the store. Undefined once the slots are closed. */
  acquire(storeId: string): Promise<Release | undefined> {
    const release = this.tryAcquire(storeId);
    if (release !== undefined || this.#isClosed) return Promise.resolve(release);
    const store = this.#stateOf(storeId);
    return new Promise((resolve) => {
      store.waiting.push(resolve);
      this.#queue(store);
    });
  }

  /** Tells how long a delivery to the store took. */
  note(storeId: string, deliveryMs: number): void {
    const store = this.#stateOf(storeId);
    const wasSlow = store.pace.isSlow;
    store.pace = paceAfter(store.pace, deliveryMs, this.#options.storeMax);
    if (store.pace.isSlow && !wasSlow) this.#slowTaken += store.taken;
    if (wasSlow && !store.pace.isSlow) this.#slowTaken -= store.taken;
    this.#serve(store);
  }

  /** Sends everyone away who waits; slots that are taken stay so until released. */
  close(): void {
    this.#isClosed = true;
    this.#line.clear();
    for (const { waiting } of this.#stores.values())
      for (const resolve of waiting.splice(0)) resolve(undefined);
  }

  #stateOf(storeId: string): StoreState {
    const known = this.#stores.get(storeId);
    if (known !== undefined) return known;
    if (this.#stores.size >= rememberedMax) this.#forgetIdle();
    const store: StoreState = { pace: firstPace, taken: 0, waiting: [] };
    this.#stores.set(storeId, store);
    return store;
  }

  #forgetIdle(): void {
    for (const [storeId, { taken, waiting }] of this.#stores)
      if (taken === 0 && waiting.length === 0) this.#stores.delete(storeId);
  }

  #isFree(store: StoreState): boolean {
    return this.#mayHaveMore(store) && (!store.pace.isSlow || this.#slowTaken < this.#options.slowMax);
  }

  #mayHaveMore({ pace, taken }: StoreState): boolean {
    return taken < Math.min(pace.limit, this.#options.storeMax);
  }

  #take(store: StoreState): Release {
    let isReleased = false;
    store.taken++;
    if (store.pace.isSlow) this.#slowTaken++;
    return () => {
      if (isReleased) return;
      isReleased = true;
      store.taken--;
      if (store.pace.isSlow) this.#slowTaken--;
      this.#serve(store);
    };
  }

  /** Serves the store or sends it to the end of the line, and serves the line as far as there is room. */
  #serve(store: StoreState): void {
    this.#line.delete(store);
    while (!store.pace.isSlow && this.#isFree(store) && this.#serveNext(store));
    this.#queue(store);
    for (const first of this.#line) {
      if (this.#slowTaken >= this.#options.slowMax) return;
      this.#line.delete(first);
      this.#serveNext(first);
      this.#queue(first);
    }
  }

  /** Gives the store's first in line a slot. @returns whether there was one */
  #serveNext(store: StoreState): boolean {
    const next = store.waiting.shift();
    next?.(this.#take(store));
    return next !== undefined;
  }

  #queue(store: StoreState): void {
    if (store.pace.isSlow && store.waiting.length > 0 && this.#mayHaveMore(store)) this.#line.add(store);
  }
}
