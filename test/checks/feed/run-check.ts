import { systemClock } from "#shared/time/clock.ts";
import { actorRandom } from "../../harness/seeded-random.ts";
import type { Stack } from "../../harness/stack/start-stack.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { startSamplingMemory } from "../limit/memory.ts";
import { AcknowledgedChanges } from "../runner/acknowledged-changes.ts";
import { Counter } from "../runner/counter.ts";
import { createGoal, type Goal } from "../runner/goal.ts";
import { ProcessKiller } from "../runner/process-killer.ts";
import { type CheckReport, runCheck } from "../runner/run-check.ts";
import { type BackgroundWork, runWorkload } from "../runner/run-workload.ts";
import { createStoreWithKey } from "../runner/workload-store.ts";
import { createClients } from "./create-clients.ts";
import { countChanges, readExpectedState } from "./expected-state.ts";
import type { FeedClient } from "./feed-client.ts";
import { type FeedOptions, feedCommand } from "./options.ts";
import { Outage } from "./outage.ts";
import { dropUniqueTimeIndexes } from "./plain-clock.ts";
import { reportOf } from "./report.ts";
import { settle } from "./settle.ts";
import { startFeedStack } from "./stack.ts";
import { evaluate } from "./verdict.ts";

const joinPollMs = 50;

/** Runs the feed check: clients copy the certificate lists while writers change them and processes are killed. */
export const runFeedCheck = () =>
  runCheck(feedCommand, (options) => ({
    seed: options.seed,
    start: (signal, log) => startFeedStack(options, signal, log),
    examine: (stack, signal, log) => examine(options, stack, signal, log),
  }));

async function examine(options: FeedOptions, stack: Stack, signal: AbortSignal, log: Log): Promise<CheckReport> {
  const { registries, edges, collections } = stack;
  const { seed, writers, plainClock, noKills } = options;
  const random = actorRandom(seed, "killer and stores");
  if (plainClock) await dropUniqueTimeIndexes(collections);
  const create = () => createStoreWithKey(random.pick(registries));
  const stores = await Promise.all(Array.from({ length: options.stores }, create));
  const replies = new Counter();
  const calls = new Counter();
  const acknowledged = new AcknowledgedChanges();
  const edgeUrls = edges.map(({ url }) => url);
  const clients = createClients({ count: options.clients, seed, stores, edgeUrls, acknowledged, replies });
  const processes = [stack.database, stack.nats, ...registries, ...edges].flatMap((part) =>
    part ? [part.process] : [],
  );
  const everyMs = options.killEveryMs;
  const killer =
    noKills || plainClock
      ? undefined
      : new ProcessKiller({ processes, random, everyMs, changes: () => acknowledged.count });
  const { minutes, changes: count } = options;
  const goal = createGoal({ minutes, count, unit: "changes", made: () => acknowledged.count });
  const { stopDatabase, startDatabase, outageSeconds: seconds } = options;
  const outage =
    stopDatabase === undefined || startDatabase === undefined
      ? undefined
      : new Outage({
          stop: stopDatabase,
          start: startDatabase,
          seconds,
          share: goal.share,
          changes: () => acknowledged.count,
          log,
        });
  const sampling = startSamplingMemory(processes);
  const stoppedBecause = await runWorkload({
    seed,
    writers,
    stores,
    registries,
    acknowledged,
    calls,
    killer,
    signal,
    log,
    isEnough: () => goal.share() === 1 && (killer?.killedAll ?? true) && (outage?.isOver ?? true),
    background: [...clients.map((client) => joinAndFollow(client, goal)), ...(outage ? [outage.run] : [])],
    progress: () => `${goal.text()}, ${killer?.kills ?? 0} kills`,
  });
  const memory = await sampling.stop();
  log("the clients read the remaining changes");
  const { expected, unfinished, isQuiet } = await settle(clients, {
    countChanges: () => countChanges(collections),
    readExpectedState: () => readExpectedState(collections),
  });
  const results = clients.map(({ setup, copy, pages, outOfOrder, isCaughtUp, newest }) => ({
    ...setup,
    copy,
    pages,
    outOfOrder,
    isCaughtUp,
    newest,
  }));
  const verdict = evaluate({ expected, clients: results, acknowledged: acknowledged.byStore });
  const kills = killer?.kills ?? 0;
  const endedEarly =
    stoppedBecause ?? (isQuiet ? undefined : "changes were still made while the clients read the remaining ones");
  return reportOf(options, {
    expected,
    unfinished,
    verdict,
    endedEarly,
    memory,
    kills,
    replies,
    calls,
    outageFindings: outage?.judge(replies.names()) ?? [],
  });
}

/**
 * Returns work that waits until the run's progress reaches the client's `joinsAt` or writing ends, and then lets the
 * client follow the feed to the last change.
 */
function joinAndFollow(client: FeedClient, goal: Goal): BackgroundWork {
  return async (isWriting, signal) => {
    const isEarly = () => isWriting() && goal.share() < client.setup.joinsAt;
    while (isEarly() && !signal.aborted) await systemClock.sleep(joinPollMs, signal);
    await client.follow(() => !isWriting(), signal);
  };
}
