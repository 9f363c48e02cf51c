import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Admissions } from "./admission.ts";
import type { ApiKeys, KeyUse } from "./api-keys.ts";

/** What {@link KeyUses} works with. */
export interface KeyUsesDeps {
  readonly keys: Pick<ApiKeys, "noteUses">;
  readonly clock: Clock;
  readonly logger: Logger;
}

const everyMs = 60_000;

/**
 * Remembers which keys are used and writes it down once a minute: off the requests' path, and at most once a minute for
 * each key. What a crash loses, the key's next use makes up for.
 */
export class KeyUses {
  readonly #deps: KeyUsesDeps;
  readonly #stopped = new AbortController();
  #uses = new Map<string, KeyUse>();
  #running: Promise<void> | undefined;

  constructor(deps: KeyUsesDeps) {
    this.#deps = deps;
  }

  /** Writes from now on, every minute. */
  start(): void {
    this.#running = this.#run();
  }

  /** Tells the uses of keys from admissions: a key counts as used when it is known, admitted or not. */
  watch(admissions: Admissions): Admissions {
    return {
      admit: async (keyHash) => {
        const decision = await admissions.admit(keyHash);
        if (decision.admission !== "unknown_key") this.#note(keyHash);
        return decision;
      },
    };
  }

  /** Writes what is not written yet, and nothing any more. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  #note(keyHash: Uint8Array): void {
    const use = { keyHash, at: new Date(this.#deps.clock.now()) };
    this.#uses.set(Buffer.from(keyHash).toString("base64"), use);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await this.#deps.clock.sleep(everyMs, signal);
      await this.#write();
    }
  }

  async #write(): Promise<void> {
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    if (uses.length === 0) return;
    try {
      await this.#deps.keys.noteUses(uses, everyMs);
    } catch (error) {
      this.#deps.logger.warn({ err: error, keys: uses.length }, "last uses of keys are not written");
    }
  }
}
