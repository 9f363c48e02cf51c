import { Bulkhead, type Ticket } from "../load/bulkhead.ts";

/** Releases the work's place during the pause, so that other work can run, and then waits for a place again. */
export type AroundPause = (pause: () => Promise<void>) => Promise<void>;

interface Arrival extends Ticket {
  readonly start: () => void;
}

/** Bounds the number of concurrent transactions: one per store, and a maximum in total. Stores take turns. */
export class TransactionPlaces {
  readonly #bulkhead: Bulkhead<Arrival>;

  constructor(maxTransactions: number) {
    const waitingMax = Number.POSITIVE_INFINITY;
    this.#bulkhead = new Bulkhead({ inFlightMax: maxTransactions, inFlightPerStoreMax: 1, waitingMax });
  }

  /** The number of occupied places. */
  get inFlight(): number {
    return this.#bulkhead.inFlight;
  }

  /**
   * Runs a store's work as soon as a place is free. The work releases its place for each pause that it runs with
   * `aroundPause`, and waits for a place after the pause.
   */
  async run<T>(store: string, work: (aroundPause: AroundPause) => Promise<T>): Promise<T> {
    const aroundPause: AroundPause = async (pause) => {
      this.#leave(store);
      try {
        await pause();
      } finally {
        await this.#enter(store);
      }
    };
    await this.#enter(store);
    try {
      return await work(aroundPause);
    } finally {
      this.#leave(store);
    }
  }

  async #enter(store: string): Promise<void> {
    const { promise, resolve: start } = Promise.withResolvers<void>();
    if (this.#bulkhead.arrive({ store, start }) === "queued") await promise;
  }

  #leave(store: string): void {
    this.#bulkhead.finish({ store, start: () => undefined });
    for (let next = this.#bulkhead.startNext(); next !== undefined; next = this.#bulkhead.startNext()) next.start();
  }
}
