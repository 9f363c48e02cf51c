import { systemClock } from "#shared/time/clock.ts";
import type { SeededRandom } from "../../harness/seeded-random.ts";
import { shuffled } from "./choices.ts";
import type { Part } from "./part.ts";

/** What a {@link Killer} works with. */
export interface KillerSetup {
  readonly parts: readonly Part[];
  readonly random: SeededRandom;
  /** Mean time between two kills. */
  readonly everyMs: number;
}

const downMaxMs = 1_500;

/**
 * Kills parts with SIGKILL and starts them again, each after a random short time, so that several may be away at once.
 * In each round every part is killed once, in a random order.
 */
export class Killer {
  readonly #setup: KillerSetup;
  readonly #stopped = new AbortController();
  #kills = 0;

  constructor(setup: KillerSetup) {
    this.#setup = setup;
  }

  /** Kills so far. */
  get kills(): number {
    return this.#kills;
  }

  /** Whether every part was killed at least once. */
  get hadAll(): boolean {
    return this.#kills >= this.#setup.parts.length;
  }

  /** Kills until {@link Killer.stop}, then resolves when every part is up again. @throws Error when one does not start */
  async run(): Promise<void> {
    while (!this.#stopped.signal.aborted) await this.#round();
    for (const part of this.#setup.parts) await part.whenUp();
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #round(): Promise<void> {
    const { parts, random, everyMs } = this.#setup;
    for (const part of shuffled(parts, random)) {
      const pauseMs = everyMs / 2 + random.below(everyMs);
      const downMs = random.below(downMaxMs);
      await systemClock.sleep(pauseMs, this.#stopped.signal);
      if (this.#stopped.signal.aborted) return;
      await part.kill(downMs);
      this.#kills++;
    }
  }
}
