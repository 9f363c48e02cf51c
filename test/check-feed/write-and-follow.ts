import { systemClock } from "#shared/time/clock.ts";
import type { CheckedStore } from "./checked-store.ts";
import type { FeedClient } from "./client.ts";
import type { Killer } from "./killer.ts";
import type { CheckOptions } from "./options.ts";
import type { RegistryCalls } from "./registry-calls.ts";
import type { Tally } from "./tally.ts";
import type { Told } from "./told.ts";
import { runWriter } from "./writer.ts";

/** What {@link writeAndFollow} works with. */
export interface WriteAndFollowSetup {
  readonly options: Pick<CheckOptions, "changes" | "seed" | "writers">;
  readonly stores: readonly CheckedStore[];
  readonly registries: readonly RegistryCalls[];
  readonly clients: readonly FeedClient[];
  /** Undefined: nothing is killed. */
  readonly killer: Killer | undefined;
  readonly told: Told;
  readonly calls: Tally;
  readonly over: AbortSignal;
  readonly say: (line: string) => void;
}

const progressEveryMs = 5_000;
const lookEveryMs = 50;

/**
 * Writers write, clients follow and the killer kills until there are enough changes and every part was killed; then
 * everything is up again.
 *
 * @throws the first error of any of them, when all have ended
 */
export async function writeAndFollow(setup: WriteAndFollowSetup): Promise<void> {
  const { options, clients, killer, told, say } = setup;
  const failed = new AbortController();
  const over = AbortSignal.any([setup.over, failed.signal]);
  const startedAt = performance.now();
  const progress = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    say(`${seconds} s: ${told.count} of ${options.changes} changes, ${killer?.kills ?? 0} kills`);
  }, progressEveryMs);

  let isWriting = true;
  const write = async () => {
    const isEnough = () => told.count >= options.changes && (killer?.hadAll ?? true);
    const writers = Array.from({ length: options.writers }, (_, index) =>
      runWriter({
        ...setup,
        name: `writer-${index + 1}`,
        seed: options.seed,
        tally: setup.calls,
        isEnough,
        over,
      }),
    );
    await Promise.all(writers);
    killer?.stop();
    isWriting = false;
  };
  const follow = async (client: FeedClient) => {
    const joinsAt = client.setup.joinsAt * options.changes;
    while (isWriting && told.count < joinsAt && !over.aborted) await systemClock.sleep(lookEveryMs, over);
    await client.follow(() => !isWriting, over);
  };
  // The others end as soon as one has failed.
  const orAllEnd = (work: Promise<void>) =>
    work.catch((error: unknown) => {
      failed.abort(error);
      killer?.stop();
      throw error;
    });
  const works = [write(), ...clients.map(follow), ...(killer ? [killer.run()] : [])].map(orAllEnd);
  await Promise.allSettled(works);
  clearInterval(progress);
  await Promise.all(works);
}
