import type { Log } from "../../harness/supervisor/supervisor.ts";
import { abortReason } from "./check.ts";
import type { ProcessKiller } from "./process-killer.ts";
import { StallWatch } from "./stall-watch.ts";
import { runWriter, type WriterSetup } from "./writer.ts";

/** Work that runs concurrently with the writers; it must end soon after `isWriting` first returns false. */
export type BackgroundWork = (isWriting: () => boolean, signal: AbortSignal) => Promise<void>;

interface WorkloadSetup extends Omit<WriterSetup, "name"> {
  /** Number of writers, each with one change in progress. */
  readonly writers: number;
  /** Prefix of the writers' names and idempotency keys; unique among the workloads of a run. Default `writer`. */
  readonly writerPrefix?: string;
  /** Undefined if no process is killed. */
  readonly killer: ProcessKiller | undefined;
  readonly background?: readonly BackgroundWork[];
  /** Returns a description of the progress for the log. */
  readonly progress: () => string;
  readonly log: Log;
}

const progressEveryMs = 5_000;

/** Time without a confirmed change after which a workload ends: twelve times the lifetime of a transaction. */
export const stallLimitMs = 180_000;

/**
 * Runs writers, background work and the killer until the writers have made enough changes and every process is ready
 * again. Ends early when the signal aborts, when no change was confirmed for three minutes, or at the first failure.
 *
 * @returns why the workload ended early; undefined when the writers made enough changes
 */
export async function runWorkload(setup: WorkloadSetup): Promise<string | undefined> {
  const { writers, writerPrefix = "writer", killer, background = [], acknowledged, log } = setup;
  using stall = new StallWatch({ progress: () => acknowledged.count, limitMs: stallLimitMs });
  const failed = new AbortController();
  const signal = AbortSignal.any([setup.signal, stall.signal, failed.signal]);
  const startedAt = performance.now();
  const progress = setInterval(() => {
    log(`${Math.round((performance.now() - startedAt) / 1_000)} s: ${setup.progress()}`);
  }, progressEveryMs);

  // The first failure ends the writers, the background work and the killer. Calls in progress still finish: otherwise,
  // a change acknowledged after the verdict has read the database would look lost.
  const orEndAll = (work: Promise<void>) =>
    work.catch((error: unknown) => {
      failed.abort(error);
      killer?.stop();
    });
  let isWriting = true;
  const write = async () => {
    const names = Array.from({ length: writers }, (_, index) => `${writerPrefix}-${index + 1}`);
    await Promise.all(names.map((name) => orEndAll(runWriter({ ...setup, name, signal }))));
    killer?.stop();
    isWriting = false;
  };
  const beside = background.map((work) => work(() => isWriting, signal));
  await Promise.all([write(), ...beside, ...(killer ? [killer.run()] : [])].map(orEndAll));
  clearInterval(progress);
  const reason = abortReason(signal);
  if (reason !== undefined) log(`the workload ended early: ${reason}`);
  return reason;
}
