import { Worker } from "node:worker_threads";

/** The keys of the stores whose requests must succeed. */
export interface GoodStoresSetup {
  readonly edgeUrl: string;
  readonly apiKeys: readonly string[];
}

/** The outcome of a request. */
export type GoodRequest = { readonly durationMs: number } | { readonly failure: string };

/** Requests of stores beside the mutated ones: one list request of each store every second, sent by a thread. */
export class GoodStores {
  /** Requests that did not return a page with status 200, also when repeated after a 503, by what happened. */
  readonly failures: string[] = [];
  readonly #worker: Worker;
  #durationsMs: number[] = [];

  constructor(setup: GoodStoresSetup) {
    this.#worker = new Worker(new URL("./good-stores-worker.ts", import.meta.url), { workerData: setup });
    this.#worker.on("message", (outcome: GoodRequest) => {
      if ("failure" in outcome) this.failures.push(outcome.failure);
      else this.#durationsMs.push(outcome.durationMs);
    });
    this.#worker.on("error", (error) => this.failures.push(`the requests of the good stores ended: ${error}`));
  }

  /** Returns the durations since the last call, in milliseconds. */
  takeDurations(): readonly number[] {
    const durations = this.#durationsMs;
    this.#durationsMs = [];
    return durations;
  }

  /** Ends the requests. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
