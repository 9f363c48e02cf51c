import { partOf, type Stack, startStack } from "../../harness/stack/start-stack.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { abortReason, type CheckReport, runCheck } from "../runner/run-check.ts";
import { StallWatch } from "../runner/stall-watch.ts";
import { createStoreWithKey } from "../runner/workload-store.ts";
import { AdmissionTimes } from "./admission-times.ts";
import { generateLoad } from "./generate-load.ts";
import { sampleMemory } from "./memory.ts";
import { type LimitOptions, limitCommand } from "./options.ts";
import { reportOf } from "./report.ts";
import { evaluate } from "./verdict.ts";

const stallLimitMs = 60_000;
const tooSlow = "the machine is too slow to observe all admissions; use a longer window or fewer stores";
const memoryEveryMs = 5_000;
const memorySamplesMin = 20;
const progressEveryMs = 30_000;

// A longer timeout than the default: the check is about admissions, so requests must not time out on a slow machine.
const patient = { env: { EDGE_REGISTRY_TIMEOUT_MS: "30000" } };

/**
 * Runs the limit check: each store sends requests to three edges at many times its limit. The edges must admit exactly
 * the requests that a sliding-window log admits.
 */
export const runLimitCheck = () =>
  runCheck(limitCommand, (options) => {
    const { limit, limitOfRegistry = limit, windowMs, noBuild, keep } = options;
    const env = {
      REGISTRY_RATE_LIMIT: String(limitOfRegistry),
      REGISTRY_RATE_LIMIT_WINDOW_MS: String(windowMs),
    };
    return {
      start: (signal, log) =>
        startStack({
          name: "check-limit",
          keep,
          restart: true,
          signal,
          log,
          logLevel: "warn",
          buildFast: !noBuild,
          registries: [{ env }],
          edges: [patient, patient, patient],
        }),
      examine: (stack, signal, log) => examine(options, stack, signal, log),
    };
  });

async function examine(
  options: LimitOptions,
  { registries, edges, database, collections }: Stack,
  stopped: AbortSignal,
  log: Log,
): Promise<CheckReport> {
  const { seconds, windowMs } = options;
  const registry = partOf(registries);
  const stores = await Promise.all(Array.from({ length: options.stores }, () => createStoreWithKey(registry)));
  const done = new AbortController();
  let answers = 0;
  using stall = new StallWatch({ progress: () => answers, limitMs: stallLimitMs });
  const early = AbortSignal.any([stopped, stall.signal]);
  const { signal } = done;
  const admissions = new AdmissionTimes(collections, windowMs);
  const sampleEveryMs = Math.min(memoryEveryMs, (1_000 * seconds) / memorySamplesMin);
  const processes = [database, registry, ...edges].flatMap((part) => (part ? [part.process] : []));
  const blind = new AbortController();
  const following = admissions.follow(signal).then(() => blind.abort(new Error(tooSlow)));
  const observers = Promise.all([following, sampleMemory(processes, sampleEveryMs, signal)]);
  // A failed observer ends the load; throwIfAborted() below then throws the observer's error.
  observers.catch((error: unknown) => done.abort(error));
  const startedAt = performance.now();
  const progress = setInterval(() => {
    log(`${Math.round((performance.now() - startedAt) / 1_000)} of ${seconds} s`);
  }, progressEveryMs);
  try {
    const edgeUrls = edges.map(({ url }) => url);
    const ends = AbortSignal.any([early, blind.signal, signal]);
    const load = await generateLoad({ ...options, stores, edgeUrls, signal: ends, onAnswer: () => answers++ });
    if (!early.aborted && !blind.signal.aborted) signal.throwIfAborted();
    const endedEarly = abortReason(AbortSignal.any([early, blind.signal]));
    done.abort();
    const [, memory] = await observers;
    const { knownUntil } = admissions;
    const verdicts = stores.map(({ id }, index) =>
      evaluate({ exchanges: load.exchanges[index] ?? [], admittedAt: admissions.of(id), knownUntil }, options),
    );
    return reportOf(options, { load, verdicts, memory, endedEarly: knownUntil === undefined ? endedEarly : tooSlow });
  } finally {
    clearInterval(progress);
    done.abort();
  }
}
