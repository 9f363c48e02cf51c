import type { Say } from "./conduct.ts";
import type { Killer } from "./killer.ts";
import { runWriter, type WriterSetup } from "./writer.ts";

/** Something that goes on while writers write, and ends soon after them. */
export type Beside = (isWriting: () => boolean, over: AbortSignal) => Promise<void>;

/** What {@link writeAndKill} works with. */
export interface WriteAndKillSetup extends Omit<WriterSetup, "name"> {
  /** How many writers, each with one change under way. */
  readonly writers: number;
  /** Undefined: nothing is killed. */
  readonly killer: Killer | undefined;
  readonly beside: readonly Beside[];
  /** How far it has come. */
  readonly progress: () => string;
  readonly say: Say;
}

const progressEveryMs = 5_000;

/**
 * Writers write and the killer kills until it is enough; then everything is up again.
 *
 * @throws the first error of any of them, when all have ended
 */
export async function writeAndKill(setup: WriteAndKillSetup): Promise<void> {
  const { writers, killer, beside, say } = setup;
  const failed = new AbortController();
  const over = AbortSignal.any([setup.over, failed.signal]);
  const startedAt = performance.now();
  const progress = setInterval(() => {
    say(`${Math.round((performance.now() - startedAt) / 1_000)} s: ${setup.progress()}`);
  }, progressEveryMs);

  let isWriting = true;
  const write = async () => {
    const names = Array.from({ length: writers }, (_, index) => `writer-${index + 1}`);
    await Promise.all(names.map((name) => runWriter({ ...setup, name, over })));
    killer?.stop();
    isWriting = false;
  };
  // The others end as soon as one has failed.
  const orAllEnd = (work: Promise<void>) =>
    work.catch((error: unknown) => {
      failed.abort(error);
      killer?.stop();
      throw error;
    });
  const goOn = beside.map((work) => work(() => isWriting, over));
  const works = [write(), ...goOn, ...(killer ? [killer.run()] : [])].map(orAllEnd);
  await Promise.allSettled(works);
  clearInterval(progress);
  await Promise.all(works);
}
