import { systemClock } from "#shared/time/clock.ts";
import { flag, integer, seed, stackOptions, text } from "../../../deploy/local/stack/command-line.ts";
import { startSamplingMemory } from "../../harness/process-memory.ts";
import { actorRandom } from "../../harness/seeded-random.ts";
import { sum } from "../../harness/statistics.ts";
import { defineCheck } from "../runner/check.ts";
import { Counter } from "../runner/counter.ts";
import { createGoal, type Goal } from "../runner/goal.ts";
import { type BackgroundWork, Workload } from "../runner/workload.ts";
import { createStoreWithKey, unlimited, writerTimeoutMs } from "../runner/workload-store.ts";
import { createClients } from "./create-clients.ts";
import { countChanges, readExpectedState } from "./expected-state.ts";
import type { FeedClient } from "./feed-client.ts";
import { Outage } from "./outage.ts";
import { dropUniqueTimeIndexes } from "./plain-clock.ts";
import { changesIn, settle } from "./settle.ts";
import { evaluate } from "./verdict.ts";

const joinPollMs = 50;

/** `npm run check:feed`: clients copy the certificate lists while writers change them and processes are killed. */
export const feedCheck = defineCheck({
  name: "feed",
  options: {
    changes: integer(
      1,
      100_000_000,
      "minimum number of changes; the run also continues until every process has been killed",
    ).default(5_000),
    minutes: integer(1, 10_080, "duration of the run, instead of a number of changes").optional(),
    seed,
    stores: integer(1, 1_000, "stores; the first one gets more than a quarter of the changes").default(20),
    writers: integer(1, 1_000, "writers, each with one change in progress").default(24),
    clients: integer(1, 10_000, "integrators; the first one of each store copies the whole store").default(26),
    killEveryMs: integer(1, 3_600_000, "mean time between two kills").default(2_000),
    noKills: flag("kills no process"),
    plainClock: flag("assigns timestamps with new Date() and kills no process; the check is expected to fail"),
    uri: text("uri", "MongoDB connection string that names an empty database; default: a new server").optional(),
    stopDatabase: text(
      "command",
      "shell command that makes the database of --uri unavailable during the run",
    ).optional(),
    startDatabase: text("command", "shell command that ends this outage").optional(),
    outageSeconds: integer(1, 600, "duration of the outage").default(30),
    ...stackOptions,
  },
  refuse: ({ clients, stores, stopDatabase, startDatabase }) => {
    if (clients < stores) return `--clients must be at least --stores (${stores}).`;
    if ((stopDatabase === undefined) === (startDatabase === undefined)) return undefined;
    return "--stop-database and --start-database need each other.";
  },
  zero: {
    missed: "certificates that a client's copy lacks or has in an earlier state",
    out_of_order: "certificates that were not later than those that the client had stored",
    doubled: "changes with the time of another change of their store",
    phantom: "changes that a client or a writer has seen and the database does not have",
  },
  // The edges distribute their calls over the registries.
  start: ({ options: { plainClock, uri }, startStack }) => {
    const registry = { script: plainClock ? "test/checks/feed/plain-clock-registry.ts" : undefined, env: unlimited };
    return startStack({
      mongodbUri: uri,
      registries: [registry, registry, registry],
      edges: [{}, {}],
      callTimeoutMs: writerTimeoutMs,
    });
  },
  examine: async ({ registries, edges, collections, database, nats }, { options, signal, log }) => {
    const { seed, writers, plainClock, noKills } = options;
    const random = actorRandom(seed, "killer and stores");
    if (plainClock) await dropUniqueTimeIndexes(collections);
    const create = () => createStoreWithKey(random.pick(registries));
    const stores = await Promise.all(Array.from({ length: options.stores }, create));
    const replies = new Counter();
    const processes = [database, nats, ...registries, ...edges].flatMap((part) => (part ? [part.process] : []));
    const kills = noKills || plainClock ? undefined : { processes, random, everyMs: options.killEveryMs };
    const workload = new Workload({ seed, writers, registries, kills, signal, log });
    const { acknowledged, calls, changes, killer } = workload;
    const edgeUrls = edges.map(({ url }) => url);
    const clients = createClients({ count: options.clients, seed, stores, edgeUrls, acknowledged, replies });
    const goal = createGoal({ minutes: options.minutes, count: options.changes, unit: "changes", made: changes });
    const { stopDatabase: stop, startDatabase: start, outageSeconds: seconds } = options;
    const outage =
      stop === undefined || start === undefined
        ? undefined
        : new Outage({ stop, start, seconds, share: goal.share, changes, log });
    using sampling = startSamplingMemory(processes);
    const stoppedBecause = await workload.run({
      stores,
      isEnough: () => goal.share() === 1 && (killer?.killedAll ?? true) && (outage?.isOver ?? true),
      background: [...clients.map((client) => joinAndFollow(client, goal)), ...(outage ? [outage.run] : [])],
      progress: () => `${goal.text()}, ${killer?.kills ?? 0} kills`,
    });
    const { memory_mb, flat } = await sampling.stop();
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
    const endedEarly =
      stoppedBecause ?? (isQuiet ? undefined : "changes were still made while the clients read the remaining ones");
    const outageFindings = outage?.judge(replies.names()) ?? [];
    return {
      lines: [
        `writer calls: ${calls}`,
        `failed client requests and crashes: ${replies}`,
        `certificates: ${sum(Array.from(expected.stores.values(), ({ size }) => size))}`,
      ],
      findings: [
        ...unfinished.map((reason) => `a client did not finish: ${reason}`),
        ...outageFindings,
        ...verdict.findings,
      ],
      counts: {
        seed,
        changes: changesIn(expected),
        missed: verdict.missed,
        out_of_order: verdict.outOfOrder,
        doubled: verdict.doubled,
        phantom: verdict.phantom,
        complete: endedEarly === undefined,
        kills: killer?.kills ?? 0,
        clients: options.clients,
        stores: options.stores,
        seconds: Math.round(performance.now() / 1_000),
        plain_clock: plainClock,
        memory_mb,
        flat,
      },
      // In runs of at least four minutes, the memory of every process except the database must be flat.
      passed: unfinished.length + outageFindings.length === 0 && flat !== false,
      endedEarly,
    };
  },
});

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
