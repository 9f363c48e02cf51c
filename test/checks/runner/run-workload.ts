import type { Log } from "../../harness/supervisor/supervisor.ts";
import type { ProcessKiller } from "./process-killer.ts";
import { runWriter, type WriterSetup } from "./writer.ts";

/** Work that runs concurrently with the writers; must end soon after `isWriting` returns false. */
export type BackgroundWork = (isWriting: () => boolean, signal: AbortSignal) => Promise<void>;

interface WorkloadSetup extends Omit<WriterSetup, "name"> {
  /** Number of writers, each with one change in progress. */
  readonly writers: number;
  /** Undefined: no process is killed. */
  readonly killer: ProcessKiller | undefined;
  readonly background?: readonly BackgroundWork[];
  /** Returns a description of the progress for the log. */
  readonly progress: () => string;
  readonly log: Log;
}

const progressEveryMs = 5_000;

/**
 * Runs writers, background work and the killer until the writers have made enough changes and every process is ready
 * again.
 *
 * @throws the error of a failed writer, background work or killer, once all of them have ended
 */
export async function runWorkload(setup: WorkloadSetup): Promise<void> {
  const { writers, killer, background = [], log } = setup;
  const failed = new AbortController();
  const signal = AbortSignal.any([setup.signal, failed.signal]);
  const startedAt = performance.now();
  const progress = setInterval(() => {
    log(`${Math.round((performance.now() - startedAt) / 1_000)} s: ${setup.progress()}`);
  }, progressEveryMs);

  let isWriting = true;
  const write = async () => {
    const names = Array.from({ length: writers }, (_, index) => `writer-${index + 1}`);
    await Promise.all(names.map((name) => runWriter({ ...setup, name, signal })));
    killer?.stop();
    isWriting = false;
  };
  // One failure aborts writers, background work and killer.
  const orAbortAll = (work: Promise<void>) =>
    work.catch((error: unknown) => {
      failed.abort(error);
      killer?.stop();
      throw error;
    });
  const beside = background.map((work) => work(() => isWriting, signal));
  const all = [write(), ...beside, ...(killer ? [killer.run()] : [])].map(orAbortAll);
  await Promise.allSettled(all);
  clearInterval(progress);
  await Promise.all(all);
}
