import { systemClock } from "#shared/time/clock.ts";
import { type SeededRandom, shuffled } from "../../harness/seeded-random.ts";
import type { SupervisedProcess } from "../../harness/supervisor/supervised-process.ts";

/** The replicas of one service. */
type Replicas = readonly Pick<SupervisedProcess, "name" | "stop" | "start">[];

interface RollingRestartsSetup {
  readonly services: readonly Replicas[];
  /** Number of rolling restarts of all services. */
  readonly count: number;
  readonly random: SeededRandom;
}

// As with Kubernetes' `minReadySeconds`, a replica serves for this time before the next one is stopped.
const minReadyMs = 1_000;

/**
 * Restarts each service one replica at a time: stops a replica, starts its successor, and waits until the successor is
 * ready before it stops the next replica. Alternates between all services at once, as `helm upgrade` restarts them, and
 * one service after another in random order.
 */
export class RollingRestarts {
  /** Number of rolling restarts of all services so far. */
  completed = 0;
  /** Number of process restarts so far. */
  processes = 0;
  /** One line per process that did not exit with 0. */
  readonly uncleanStops: string[] = [];
  readonly #setup: RollingRestartsSetup;

  constructor(setup: RollingRestartsSetup) {
    this.#setup = setup;
  }

  get isDone(): boolean {
    return this.completed >= this.#setup.count;
  }

  /** Runs all restarts. When the signal aborts, ends early, after the replica restarts in progress. */
  async run(signal: AbortSignal): Promise<void> {
    const { services, random } = this.#setup;
    while (!this.isDone && !signal.aborted) {
      if (this.completed % 2 === 0) await Promise.all(services.map((service) => this.#restart(service, signal)));
      else for (const service of shuffled(services, random)) await this.#restart(service, signal);
      if (!signal.aborted) this.completed++;
    }
  }

  async #restart(service: Replicas, signal: AbortSignal): Promise<void> {
    for (const replica of service) {
      if (signal.aborted) return;
      const exit = await replica.stop();
      if (exit?.code !== 0) this.uncleanStops.push(`${replica.name} exited with ${exit?.signal ?? exit?.code}`);
      await replica.start();
      this.processes++;
      await systemClock.sleep(minReadyMs, signal);
    }
  }
}
