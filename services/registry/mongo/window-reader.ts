import type { Binary } from "mongodb";
import { Batcher } from "#shared/batching/batcher.ts";
import type { RateLimitPolicy } from "../stores/admission.ts";
import type { Plan } from "../stores/store.ts";
import { admissionTimeLimitMs, windowPipeline } from "./admission-pipelines.ts";
import type { Collections } from "./collections.ts";
import type { DatabaseTime } from "./database-time.ts";

/** How a decision would be made about a request with a key that is valid. */
export interface WindowView {
  /** The store's id. */
  readonly _id: string;
  readonly plan: Plan;
  /** By the database's clock; no earlier than the last decision. */
  readonly at: Date;
  /** The admissions that are in the window then, oldest first. */
  readonly admitted: readonly Date[];
}

/**
 * Reads windows and changes nothing. One read is under way at a time, for all requests that wait, so that a flood of them
 * costs no more than reads one after the other. Each request is answered by a read that began after it came.
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

  /** @returns undefined when no store has the key, or its time has ended */
  read(hash: Binary): Promise<WindowView | undefined> {
    return this.#reads.add(hash);
  }

  async #readAll(hashes: readonly Binary[]): Promise<(WindowView | undefined)[]> {
    const distinct = new Map(hashes.map((hash) => [nameOf(hash), hash]));
    const views = await this.#readDistinct([...distinct.values()]);
    return hashes.map((hash) => views.get(nameOf(hash)));
  }

  async #readDistinct(hashes: readonly Binary[]): Promise<ReadonlyMap<string, WindowView>> {
    const pipeline = windowPipeline(this.#policy, hashes, this.#databaseTime());
    // The limit goes by the clock of the primary alone, whatever the connection string prefers.
    const options = { maxTimeMS: admissionTimeLimitMs, readPreference: "primary" } as const;
    const found = await this.#access
      .aggregate<WindowView & { validHashes: readonly Binary[] }>(pipeline, options)
      .toArray();
    return new Map(found.flatMap((view) => view.validHashes.map((hash) => [nameOf(hash), view] as const)));
  }
}

function nameOf(hash: Binary): string {
  return hash.toString("base64");
}
