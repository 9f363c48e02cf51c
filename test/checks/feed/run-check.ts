import { systemClock } from "#shared/time/clock.ts";
import { actorRandom } from "../../harness/seeded-random.ts";
import type { Stack } from "../../harness/stack/start-stack.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { AcknowledgedChanges } from "../runner/acknowledged-changes.ts";
import { Counter } from "../runner/counter.ts";
import { ProcessKiller } from "../runner/process-killer.ts";
import { type CheckReport, runCheck } from "../runner/run-check.ts";
import { type BackgroundWork, runWorkload } from "../runner/run-workload.ts";
import { createStoreWithKey } from "../runner/workload-store.ts";
import { createClients } from "./create-clients.ts";
import type { FeedClient } from "./feed-client.ts";
import { type FeedOptions, feedCommand } from "./options.ts";
import { dropUniqueTimeIndexes } from "./plain-clock.ts";
import { reportOf } from "./report.ts";
import { settle } from "./settle.ts";
import { startFeedStack } from "./stack.ts";
import { evaluate } from "./verdict.ts";

const joinPollMs = 50;

/** Runs the feed check. */
export const runFeedCheck = () =>
  runCheck(feedCommand, (options) => ({
    seed: options.seed,
    limitMs: 180_000 + 30 * options.changes,
    start: (signal, log) => startFeedStack(options, signal, log),
    examine: (stack, signal, log) => examine(options, stack, signal, log),
  }));

async function examine(options: FeedOptions, stack: Stack, signal: AbortSignal, log: Log): Promise<CheckReport> {
  const { registries, edges, collections } = stack;
  const { seed, changes, writers, plainClock, noKills } = options;
  const random = actorRandom(seed, "killer and stores");
  if (plainClock) await dropUniqueTimeIndexes(collections);
  const create = () => createStoreWithKey(random.pick(registries));
  const stores = await Promise.all(Array.from({ length: options.stores }, create));
  const replies = new Counter();
  const calls = new Counter();
  const acknowledged = new AcknowledgedChanges();
  const edgeUrls = edges.map(({ url }) => url);
  const clients = createClients({ count: options.clients, seed, stores, edgeUrls, replies });
  const processes = [stack.database, stack.nats, ...registries, ...edges].flatMap((part) =>
    part ? [part.process] : [],
  );
  const everyMs = options.killEveryMs;
  const killer = noKills || plainClock ? undefined : new ProcessKiller({ processes, random, everyMs });
  await runWorkload({
    ...{ seed, writers, stores, registries, acknowledged, calls, killer, signal, log },
    isEnough: () => acknowledged.count >= changes && (killer?.killedAll ?? true),
    background: clients.map((client) => joinAndFollow(client, acknowledged, changes)),
    progress: () => `${acknowledged.count} of ${changes} changes, ${killer?.kills ?? 0} kills`,
  });
  const { expected, unfinished } = await settle(clients, collections, signal);
  const results = clients.map(({ setup, copy, pages, outOfOrder }) => ({ ...setup, copy, pages, outOfOrder }));
  const verdict = evaluate({ expected, clients: results, acknowledged: acknowledged.byStore });
  return reportOf(options, { expected, unfinished, verdict, kills: killer?.kills ?? 0, replies, calls });
}

/**
 * Starts the client once its share of the changes has been made; the client then follows the feed to the last change.
 */
function joinAndFollow(client: FeedClient, acknowledged: AcknowledgedChanges, changes: number): BackgroundWork {
  return async (isWriting, signal) => {
    const joinsAt = client.setup.joinsAt * changes;
    while (isWriting() && acknowledged.count < joinsAt && !signal.aborted) await systemClock.sleep(joinPollMs, signal);
    await client.follow(() => !isWriting(), signal);
  };
}
