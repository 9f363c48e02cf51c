import { systemClock } from "#shared/time/clock.ts";
import { choicesOf } from "../runner/choices.ts";
import { conduct, type Say } from "../runner/conduct.ts";
import { Killer } from "../runner/killer.ts";
import { Tally } from "../runner/tally.ts";
import { Told } from "../runner/told.ts";
import { type Beside, writeAndKill } from "../runner/write-and-kill.ts";
import { type CheckStack, startCheckStack } from "./check-stack.ts";
import type { FeedClient } from "./client.ts";
import { createClients } from "./clients.ts";
import { createFeedStore } from "./feed-store.ts";
import type { CheckOptions } from "./options.ts";
import { forgetUniqueTimes } from "./plain-clock.ts";
import { type RunReport, reportLines } from "./report.ts";
import { settle } from "./settle.ts";
import { judge } from "./verdict.ts";

const limitMs = ({ changes }: CheckOptions) => 180_000 + 30 * changes;
const lookEveryMs = 50;

/** One run of the feed checker. @returns the exit code @throws Error when the run could not be made */
export function runCheck(options: CheckOptions, signal: AbortSignal): Promise<number> {
  const startedAt = performance.now();
  return conduct(
    {
      seed: options.seed,
      limitMs: limitMs(options),
      start: (over, say) => startCheckStack(options, over, say),
      examine: async (stack, over, say) => {
        const report = await runOn(stack, options, over, say);
        return reportLines(options, report, performance.now() - startedAt);
      },
    },
    signal,
  );
}

async function runOn(
  stack: CheckStack,
  options: CheckOptions,
  over: AbortSignal,
  say: Say,
): Promise<RunReport> {
  const { registries, parts, collections, edgeUrls } = stack;
  const { seed, changes, writers } = options;
  const choices = choicesOf(seed, "killer and stores");
  if (options.plainClock) await forgetUniqueTimes(collections);
  const create = () => createFeedStore(choices.pick(registries));
  const stores = await Promise.all(Array.from({ length: options.stores }, create));
  const replies = new Tally();
  const calls = new Tally();
  const told = new Told();
  const clients = createClients({ count: options.clients, seed, stores, edgeUrls, tally: replies });
  const killer = options.kills
    ? new Killer({ parts, random: choices, everyMs: options.killEveryMs })
    : undefined;
  await writeAndKill({
    ...{ seed, writers, stores, registries, told, tally: calls, killer, over, say },
    isEnough: () => told.count >= changes && (killer?.hadAll ?? true),
    beside: clients.map((client) => following(client, told, changes)),
    progress: () => `${told.count} of ${changes} changes, ${killer?.kills ?? 0} kills`,
  });
  const { truth, unfinished } = await settle(clients, collections, over);
  const checked = clients.map(({ setup, copy, pages, outOfOrder }) => ({
    ...setup,
    copy,
    pages,
    outOfOrder,
  }));
  const verdict = judge({ truth, clients: checked, told: told.changes });
  return { truth, unfinished, verdict, kills: killer?.kills ?? 0, replies, calls };
}

/** A client that joins when its part of the changes is there, and catches up once more when the last one is. */
function following(client: FeedClient, told: Told, changes: number): Beside {
  return async (isWriting, over) => {
    const joinsAt = client.setup.joinsAt * changes;
    while (isWriting() && told.count < joinsAt && !over.aborted) await systemClock.sleep(lookEveryMs, over);
    await client.follow(() => !isWriting(), over);
  };
}
