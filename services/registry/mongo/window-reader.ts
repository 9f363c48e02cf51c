import type { Binary } from "mongodb";
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

interface Waiting extends PromiseWithResolvers<WindowView | undefined> {
  readonly hash: Binary;
}

const keysPerReadMax = 100;

/**
 * Reads windows and changes nothing. One read is under way at a time, for all keys that wait, so that a flood of requests
 * costs no more than reads one after the other. Each request is answered by a read that began after it came.
 */
export class WindowReader {
  readonly #access: Collections["access"];
  readonly #policy: RateLimitPolicy;
  readonly #databaseTime: DatabaseTime;
  readonly #waiting = new Map<string, Waiting>();
  #isReading = false;

  constructor(access: Collections["access"], policy: RateLimitPolicy, databaseTime: DatabaseTime) {
    this.#access = access;
    this.#policy = policy;
    this.#databaseTime = databaseTime;
  }

  /** @returns undefined when no store has the key, or its time has ended */
  read(hash: Binary): Promise<WindowView | undefined> {
    const name = nameOf(hash);
    const waiting = this.#waiting.get(name) ?? { hash, ...Promise.withResolvers<WindowView | undefined>() };
    this.#waiting.set(name, waiting);
    if (!this.#isReading) void this.#readAll();
    return waiting.promise;
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting.entries()].slice(0, keysPerReadMax);
      for (const [name] of batch) this.#waiting.delete(name);
      try {
        const views = await this.#readSome(batch.map(([, { hash }]) => hash));
        for (const [name, { resolve }] of batch) resolve(views.get(name));
      } catch (error) {
        for (const [, { reject }] of batch) reject(error);
      }
    }
    this.#isReading = false;
  }

  async #readSome(hashes: readonly Binary[]): Promise<ReadonlyMap<string, WindowView>> {
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
