import { systemClock } from "#shared/time/clock.ts";
import { type SeededRandom, shuffled } from "../../harness/seeded-random.ts";
import type { SupervisedProcess } from "../../harness/supervisor/supervised-process.ts";

/** Options of a {@link ProcessKiller}. */
export interface ProcessKillerSetup {
  readonly processes: readonly SupervisedProcess[];
  readonly random: SeededRandom;
  /** Mean pause between two kills, if enough changes are confirmed in that time. */
  readonly everyMs: number;
  /** Returns the number of changes that have been confirmed so far. */
  readonly changes: () => number;
}

const downMaxMs = 1_500;
// On a slow machine, kills at a fixed rate would leave no time for changes between two restarts.
const changesBetween = 40;
const changesWithinMs = 20_000;
const pollMs = 50;

/**
 * Kills processes with SIGKILL and restarts each after a random delay of up to 1.5 s, so that several can be down at
 * the same time. Each round kills every process once, in random order. Before each kill, the killer waits for some more
 * changes to be confirmed, but for at most 20 s: an abandoned transaction can lock a store for about as long.
 */
export class ProcessKiller {
  /** Number of kills so far. */
  kills = 0;
  readonly #setup: ProcessKillerSetup;
  readonly #stopped = new AbortController();

  constructor(setup: ProcessKillerSetup) {
    this.#setup = setup;
  }

  /** Whether every process was killed at least once. */
  get killedAll(): boolean {
    return this.kills >= this.#setup.processes.length;
  }

  /**
   * Kills processes until {@link stop} is called, then waits until all are ready.
   *
   * @throws Error when a process does not restart
   */
  async run(): Promise<void> {
    while (!this.#stopped.signal.aborted) await this.#round();
    for (const process of this.#setup.processes) await process.whenUp();
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #round(): Promise<void> {
    const { processes, random, everyMs } = this.#setup;
    for (const process of shuffled(processes, random)) {
      const pauseMs = everyMs / 2 + random.below(everyMs);
      const downMs = random.below(downMaxMs);
      const changes = 1 + random.below(2 * changesBetween);
      await this.#pause(pauseMs, changes);
      if (this.#stopped.signal.aborted) return;
      await process.kill();
      // A failed restart is reported by whenUp().
      process.start(downMs).catch(() => undefined);
      this.kills++;
    }
  }

  async #pause(pauseMs: number, changes: number): Promise<void> {
    const { signal } = this.#stopped;
    const enough = this.#setup.changes() + changes;
    const deadline = performance.now() + changesWithinMs;
    await systemClock.sleep(pauseMs, signal);
    while (!signal.aborted && this.#setup.changes() < enough && performance.now() < deadline)
      await systemClock.sleep(pollMs, signal);
  }
}
