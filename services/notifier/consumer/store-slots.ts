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
 * for slow ones, which share a bound of their own: however many receivers hang, there is room for the others.
 */
export class StoreSlots {
  readonly #options: StoreSlotsOptions;
  readonly #stores = new Map<string, StoreState>();
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
    return new Promise((resolve) => this.#stateOf(storeId).waiting.push(resolve));
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

  #isFree({ pace, taken }: StoreState): boolean {
    const limit = Math.min(pace.limit, this.#options.storeMax);
    return taken < limit && (!pace.isSlow || this.#slowTaken < this.#options.slowMax);
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
      if (store.pace.isSlow) this.#serveSlow();
    };
  }

  #serve(store: StoreState): void {
    while (this.#isFree(store)) {
      const next = store.waiting.shift();
      if (next === undefined) return;
      next(this.#take(store));
    }
  }

  #serveSlow(): void {
    for (const store of this.#stores.values()) {
      if (this.#slowTaken >= this.#options.slowMax) return;
      if (store.pace.isSlow) this.#serve(store);
    }
  }
}
