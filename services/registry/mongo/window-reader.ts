import type { Binary } from "mongodb";
import { Batcher } from "#shared/batching/batcher.ts";
import type { RateLimitPolicy } from "../stores/admission.ts";
import type { Plan } from "../values/store.ts";
import { admissionTimeLimitMs, windowPipeline } from "./admission-pipelines.ts";
import type { Collections } from "./collections.ts";
import type { DatabaseTime } from "./database-time.ts";

/** The rate-limit window of the store that owns a valid key. */
export interface WindowView {
  /** The store's id. */
  readonly _id: string;
  readonly plan: Plan;
  /** The database's time; not earlier than the last decision. */
  readonly at: Date;
  /** The admissions in the window, oldest first. */
  readonly admitted: readonly Date[];
}

/**
 * Reads windows without changing them. At most one read runs at a time and serves all waiting requests, so that a flood
 * of requests puts no more load on the database than sequential reads. Each request gets the result of a read that
 * started after it arrived.
 */
export class WindowReader {
  readonly #access: Collections["access"];
  readonly #policy: RateLimitPolicy;
  readonly #databaseTime: DatabaseTime;
  readonly #reads = new Batcher((hashes: readonly Binary[]) => this.#readAll(hashes));

  constructor(access: Collections["access"], policy: RateLimitPolicy, databaseTime: DatabaseTime) {
    this.#access = access;
    this.#policy = policy;
    this.#databaseTime = databaseTime;
  }

  /** @returns undefined when the key is unknown or no longer valid */
  read(hash: Binary): Promise<WindowView | undefined> {
    return this.#reads.add(hash);
  }

  async #readAll(hashes: readonly Binary[]): Promise<(WindowView | undefined)[]> {
    const distinct = new Map(hashes.map((hash) => [mapKey(hash), hash]));
    const views = await this.#readDistinct([...distinct.values()]);
    return hashes.map((hash) => views.get(mapKey(hash)));
  }

  async #readDistinct(hashes: readonly Binary[]): Promise<ReadonlyMap<string, WindowView>> {
    const pipeline = windowPipeline(this.#policy, hashes, this.#databaseTime());
    // Overrides the connection string's read preference, because the limit depends on the primary's clock.
    const options = { maxTimeMS: admissionTimeLimitMs, readPreference: "primary" } as const;
    const found = await this.#access
      .aggregate<WindowView & { validHashes: readonly Binary[] }>(pipeline, options)
      .toArray();
    return new Map(found.flatMap((view) => view.validHashes.map((hash) => [mapKey(hash), view] as const)));
  }
}

function mapKey(hash: Binary): string {
  return hash.toString("base64");
}
