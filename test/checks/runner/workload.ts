import type { Log } from "../../harness/supervisor/supervisor.ts";
import { AcknowledgedChanges } from "./acknowledged-changes.ts";
import { abortReason } from "./check.ts";
import { Counter } from "./counter.ts";
import { ProcessKiller, type ProcessKillerSetup } from "./process-killer.ts";
import { StallWatch } from "./stall-watch.ts";
import { runWriter, type WriterSetup } from "./writer.ts";

/** Work that runs concurrently with the writers; it must end soon after `isWriting` first returns false. */
export type BackgroundWork = (isWriting: () => boolean, signal: AbortSignal) => Promise<void>;

interface WorkloadSetup extends Pick<WriterSetup, "seed" | "registries" | "signal"> {
  /** Number of writers, each with one change in progress. */
  readonly writers: number;
  /** Prefix of the writers' names and idempotency keys; unique among the workloads of a run. Default `writer`. */
  readonly writerPrefix?: string;
  /** The processes to kill, and how often. Undefined if no process is killed. */
  readonly kills?: Omit<ProcessKillerSetup, "changes"> | undefined;
  readonly log: Log;
}

interface WorkloadRun extends Pick<WriterSetup, "stores" | "isEnough" | "sameCertificateProbability" | "pauseMs"> {
  readonly background?: readonly BackgroundWork[];
  /** Returns a description of the progress for the log. */
  readonly progress: () => string;
}

const progressEveryMs = 5_000;

/** Time without a confirmed change after which a workload ends: twelve times the lifetime of a transaction. */
const stallLimitMs = 180_000;

/** Writers that change certificates while processes are killed. */
export class Workload {
  readonly acknowledged = new AcknowledgedChanges();
  /** Counts the writers' calls by result. */
  readonly calls = new Counter();
  /** Undefined if no process is killed. */
  readonly killer: ProcessKiller | undefined;
  readonly #setup: WorkloadSetup;

  constructor(setup: WorkloadSetup) {
    this.#setup = setup;
    this.killer = setup.kills && new ProcessKiller({ ...setup.kills, changes: this.changes });
  }

  /** Returns the number of changes that have been confirmed so far. */
  readonly changes = () => this.acknowledged.count;

  /**
   * Runs writers, background work and the killer until the writers have made enough changes and every process is ready
   * again. Ends early when the signal aborts, when no change was confirmed for three minutes, or at the first failure.
   *
   * @returns why the workload ended early; undefined when the writers made enough changes
   */
  async run({ background = [], progress, ...work }: WorkloadRun): Promise<string | undefined> {
    const { writers, writerPrefix = "writer", seed, registries, log } = this.#setup;
    const { acknowledged, calls, killer } = this;
    using stall = new StallWatch({ progress: this.changes, limitMs: stallLimitMs });
    const failed = new AbortController();
    const signal = AbortSignal.any([this.#setup.signal, stall.signal, failed.signal]);
    const startedAt = performance.now();
    const reporting = setInterval(() => {
      log(`${Math.round((performance.now() - startedAt) / 1_000)} s: ${progress()}`);
    }, progressEveryMs);

    // The first failure ends the writers, the background work and the killer. Calls in progress still finish:
    // otherwise, a change acknowledged after the verdict has read the database would look lost.
    const orEndAll = (running: Promise<void>) =>
      running.catch((error: unknown) => {
        failed.abort(error);
        killer?.stop();
      });
    let isWriting = true;
    const setup = { ...work, seed, registries, acknowledged, calls, signal };
    const write = async () => {
      const names = Array.from({ length: writers }, (_, index) => `${writerPrefix}-${index + 1}`);
      await Promise.all(names.map((name) => orEndAll(runWriter({ ...setup, name }))));
      killer?.stop();
      isWriting = false;
    };
    const beside = background.map((one) => one(() => isWriting, signal));
    await Promise.all([write(), ...beside, ...(killer ? [killer.run()] : [])].map(orEndAll));
    clearInterval(reporting);
    const reason = abortReason(signal);
    if (reason !== undefined) log(`the workload ended early: ${reason}`);
    return reason;
  }
}
