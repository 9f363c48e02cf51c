import { Bulkhead, type BulkheadBounds, type Ticket } from "./bulkhead.ts";

/** Releases the work's place during the pause, so that other work can run, and then waits for a place again. */
export type AroundPause = (pause: () => Promise<void>) => Promise<void>;

/** The default error for work that finds neither a place nor room to wait for one. */
export class NoPlaceLeft extends Error {}

interface Arrival extends Ticket {
  readonly start: () => void;
}

/**
 * Runs work of stores within the bounds of a {@link Bulkhead}. Stores take turns. Work that waits does not leave: calls
 * with deadlines need the registry's LoadShedder.
 */
export class Places {
  readonly #bulkhead: Bulkhead<Arrival>;
  readonly #refusal: () => Error;

  /** @param refusal creates the error for work that finds no place. Default: NoPlaceLeft */
  constructor(bounds: BulkheadBounds, refusal: () => Error = () => new NoPlaceLeft()) {
    this.#bulkhead = new Bulkhead(bounds);
    this.#refusal = refusal;
  }

  /** The number of occupied places. */
  get inFlight(): number {
    return this.#bulkhead.inFlight;
  }

  /**
   * Runs a store's work as soon as a place is free. The work releases its place for each pause that it runs with
   * `aroundPause`, and waits for a place after the pause; such work needs a bulkhead with unlimited room to wait.
   *
   * @throws the refusal if there is neither a free place nor room to wait
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
    const arrival = this.#bulkhead.arrive({ store, start });
    if (arrival === "refused") throw this.#refusal();
    if (arrival === "queued") await promise;
  }

  #leave(store: string): void {
    this.#bulkhead.finish({ store, start: () => undefined });
    for (let next = this.#bulkhead.startNext(); next !== undefined; next = this.#bulkhead.startNext()) next.start();
  }
}
