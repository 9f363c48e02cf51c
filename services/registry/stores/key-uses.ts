import { Loop } from "#shared/lifecycle/loop.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { base64Of } from "#shared/text/base64.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { AdmissionDecision, Admissions } from "../admissions/admission.ts";
import type { ApiKeys, KeyUse } from "./api-keys.ts";

interface KeyUsesDeps {
  readonly keys: Pick<ApiKeys, "noteUses">;
  /** The database's clock: the uses that all replicas record are compared. */
  readonly clock: Clock;
  readonly logger: Logger;
}

const intervalMs = 60_000;

/**
 * Records when each API key was last used. Uses are collected in memory and written once a minute, off the request
 * path. A crash loses up to a minute of uses; the next use of the same key makes up for it.
 */
export class KeyUses {
  readonly #deps: KeyUsesDeps;
  readonly #loop: Loop;
  #uses = new Map<string, KeyUse>();

  constructor(deps: KeyUsesDeps) {
    this.#deps = deps;
    this.#loop = new Loop({ clock: deps.clock, firstPauseMs: intervalMs, step: () => this.#write() });
  }

  /** Starts writing the collected uses once a minute. */
  start(): void {
    this.#loop.start();
  }

  /** Wraps admissions so that every use of a known key is recorded, whether or not the request is admitted. */
  watch(admissions: Admissions): Admissions {
    const noteUse = (keyHash: Uint8Array, decision: AdmissionDecision | undefined) => {
      if (decision !== undefined && decision.admission !== "unknown_key") this.#note(keyHash);
    };
    return {
      refuse: async (keyHash, remainingMs) => {
        const refusal = await admissions.refuse(keyHash, remainingMs);
        noteUse(keyHash, refusal);
        return refusal;
      },
      admit: async (keyHash, options) => {
        const decision = await admissions.admit(keyHash, options);
        noteUse(keyHash, decision);
        return decision;
      },
    };
  }

  /** Writes the uses collected so far and stops. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#write();
  }

  #note(keyHash: Uint8Array): void {
    const use = { keyHash, at: new Date(this.#deps.clock.now()) };
    this.#uses.set(base64Of(keyHash), use);
  }

  async #write(): Promise<number> {
    const { keys, clock, logger } = this.#deps;
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    try {
      if (uses.length > 0) await keys.noteUses(uses, { now: new Date(clock.now()), intervalMs });
    } catch (error) {
      logger.warn({ err: error, keys: uses.length }, "cannot record when API keys were last used");
    }
    return intervalMs;
  }
}
