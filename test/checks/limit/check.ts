import { integer, stackOptions } from "../../../deploy/local/stack/command-line.ts";
import { startSamplingMemory } from "../../harness/process-memory.ts";
import { partOf } from "../../harness/stack/start-stack.ts";
import { sum } from "../../harness/statistics.ts";
import { abortReason, defineCheck } from "../runner/check.ts";
import { latenciesOf } from "../runner/latencies.ts";
import { StallWatch } from "../runner/stall-watch.ts";
import { createStoreWithKey } from "../runner/workload-store.ts";
import { AdmissionTimes } from "./admission-times.ts";
import { generateLoad } from "./generate-load.ts";
import { evaluate, type Verdict } from "./verdict.ts";

const stallLimitMs = 60_000;
// Why the check ends early when two of its looks at the admissions were further apart than the window.
const tooSlow = "the machine is too slow to observe all admissions; use a longer window or fewer stores";
const memoryEveryMs = 5_000;
const memorySamplesMin = 20;
const progressEveryMs = 30_000;

// A longer timeout than the default: the check is about admissions, so requests must not time out on a slow machine.
const patient = { env: { EDGE_REGISTRY_TIMEOUT_MS: "30000" } };

/**
 * `npm run check:limit`: each store sends requests to three edges at many times its limit. The edges must admit exactly
 * the requests that a sliding-window log admits.
 */
export const limitCheck = defineCheck({
  name: "limit",
  options: {
    stores: integer(1, 1_000, "stores, each with one API key").default(50),
    times: integer(1, 1_000, "request rate of each store, as a multiple of its limit").default(20),
    seconds: integer(1, 86_400, "duration").default(600),
    limit: integer(1, 10_000, "requests that a window admits").default(120),
    windowMs: integer(1_000, 3_600_000, "length of the window").default(60_000),
    limitOfRegistry: integer(
      1,
      10_000,
      "limit given to the registry; the check is expected to fail when it differs from --limit",
    ).optional(),
    concurrency: integer(1, 10_000, "maximum number of requests in progress").default(192),
    ...stackOptions,
  },
  zero: {
    over_limit: "admissions preceded by at least the limit of others within one window",
    under_limit: "refusals although the window was not full at any time of the request",
    unmatched: "admitted requests without an admission in the database, and the reverse",
    never_full: "stores that were never refused",
    errors: "requests that failed",
  },
  start: ({ options: { limit, limitOfRegistry = limit, windowMs }, startStack }) => {
    const env = { REGISTRY_RATE_LIMIT: String(limitOfRegistry), REGISTRY_RATE_LIMIT_WINDOW_MS: String(windowMs) };
    return startStack({ registries: [{ env }], edges: [patient, patient, patient] });
  },
  examine: async ({ registries, edges, database, collections }, { options, signal: stopped, log }) => {
    const { seconds, windowMs, limit, limitOfRegistry = limit, times } = options;
    const registry = partOf(registries);
    const stores = await Promise.all(Array.from({ length: options.stores }, () => createStoreWithKey(registry)));
    const done = new AbortController();
    let answers = 0;
    using stall = new StallWatch({ progress: () => answers, limitMs: stallLimitMs });
    const early = AbortSignal.any([stopped, stall.signal]);
    const { signal } = done;
    const admissions = new AdmissionTimes(collections, windowMs);
    const processes = [database, registry, ...edges].flatMap((part) => (part ? [part.process] : []));
    const blind = new AbortController();
    const following = admissions.follow(signal).then(() => blind.abort(new Error(tooSlow)));
    using sampling = startSamplingMemory(processes, {
      everyMs: Math.min(memoryEveryMs, (1_000 * seconds) / memorySamplesMin),
    });
    // A failure to follow ends the load; throwIfAborted() below then throws its error.
    following.catch((error: unknown) => done.abort(error));
    const startedAt = performance.now();
    const progress = setInterval(() => {
      log(`${Math.round((performance.now() - startedAt) / 1_000)} of ${seconds} s`);
    }, progressEveryMs);
    try {
      const edgeUrls = edges.map(({ url }) => url);
      const ends = AbortSignal.any([early, blind.signal, signal]);
      const load = await generateLoad({ ...options, stores, edgeUrls, signal: ends, onAnswer: () => answers++ });
      if (!early.aborted && !blind.signal.aborted) signal.throwIfAborted();
      const aborted = abortReason(AbortSignal.any([early, blind.signal]));
      done.abort();
      await following;
      const { memory_mb, flat } = await sampling.stop();
      const { knownUntil } = admissions;
      const endedEarly = knownUntil === undefined ? aborted : tooSlow;
      const complete = endedEarly === undefined;
      const verdicts = stores.map(({ id }, index) =>
        evaluate({ exchanges: load.exchanges[index] ?? [], admittedAt: admissions.of(id), knownUntil }, options),
      );
      const sumOf = (count: (verdict: Verdict) => number) => sum(verdicts.map(count));
      const exchanges = load.exchanges.flat();
      const perSecond = Math.round((1_000 * exchanges.length) / load.elapsedMs);
      const durationsMs = exchanges.map(({ sentAt, receivedAt }) => receivedAt - sentAt);
      const { requests, p50Ms, p99Ms } = latenciesOf(durationsMs, load.errors);
      const timesReached = ((exchanges.length * windowMs) / (load.storesMs * limit)).toFixed(1);
      return {
        lines: [
          `load: ${timesReached} times the limit (target ${times}), ${perSecond} requests/s, ${load.shed} shed`,
          `errors: ${load.problems}`,
        ],
        counts: {
          stores: options.stores,
          times,
          limit,
          window_ms: windowMs,
          limit_of_registry: limitOfRegistry,
          seconds,
          requests,
          admitted: sumOf(({ admitted }) => admitted),
          refused: sumOf(({ refused }) => refused),
          over_limit: sumOf(({ over }) => over),
          under_limit: sumOf(({ under }) => under),
          unmatched: sumOf(({ unmatched }) => unmatched),
          // A load that ended early may not have reached every store's limit.
          never_full: complete ? verdicts.filter(({ refused }) => refused === 0).length : 0,
          errors: load.errors,
          shed: load.shed,
          fullest_window: Math.max(...verdicts.map(({ fullest }) => fullest)),
          requests_per_second: perSecond,
          times_reached: Number(timesReached),
          p50_ms: p50Ms,
          p99_ms: p99Ms,
          memory_mb,
          flat,
          complete,
        },
        // In runs of at least four minutes, the memory of the services must be flat.
        passed: flat !== false,
        endedEarly,
      };
    } finally {
      clearInterval(progress);
      done.abort();
    }
  },
});
