import { createFeedStore } from "../feed/feed-store.ts";
import { conduct, type Say } from "../runner/conduct.ts";
import { AdmissionTimes } from "./admission-times.ts";
import { demand } from "./demand.ts";
import { type LimitStack, startLimitStack } from "./limit-stack.ts";
import { followMemory } from "./memory.ts";
import type { LimitOptions } from "./options.ts";
import { type RunReport, reportLines } from "./report.ts";
import { judge } from "./verdict.ts";

const aroundMs = 300_000;
const memoryEveryMs = 5_000;
const memorySamplesMin = 20;
const progressEveryMs = 30_000;

/**
 * One run of the limit check: many stores ask for many times their limit, over three edges, and each of them must get
 * exactly what a sliding window allows.
 *
 * @returns the exit code
 * @throws Error when the run could not be made
 */
export function runCheck(options: LimitOptions, signal: AbortSignal): Promise<number> {
  return conduct(
    {
      limitMs: aroundMs + 1_000 * options.seconds,
      start: (over, say) => startLimitStack(options, over, say),
      examine: async (stack, over, say) => reportLines(options, await runOn(stack, options, over, say)),
    },
    signal,
  );
}

async function runOn(
  { registry, edgeUrls, database, services, collections }: LimitStack,
  options: LimitOptions,
  over: AbortSignal,
  say: Say,
): Promise<RunReport> {
  const { policy, seconds } = options;
  const stores = await Promise.all(Array.from({ length: options.stores }, () => createFeedStore(registry)));
  const done = new AbortController();
  const signal = AbortSignal.any([over, done.signal]);
  const admissions = new AdmissionTimes(collections, policy.windowMs);
  const sampleEveryMs = Math.min(memoryEveryMs, (1_000 * seconds) / memorySamplesMin);
  const beside = Promise.all([
    admissions.follow(signal),
    followMemory([database, ...services], sampleEveryMs, signal),
  ]);
  // Whatever fails there ends the demand, which throws it.
  beside.catch((error: unknown) => done.abort(error));
  const startedAt = performance.now();
  const progress = setInterval(() => {
    say(`${Math.round((performance.now() - startedAt) / 1_000)} of ${seconds} s`);
  }, progressEveryMs);
  try {
    const demanded = await demand({ ...options, stores, edgeUrls, signal });
    done.abort();
    const [, { database: databaseMemory = [], ...memory }] = await beside;
    const verdicts = stores.map(({ id }, index) =>
      judge({ exchanges: demanded.exchanges[index] ?? [], admittedAt: admissions.of(id) }, policy),
    );
    return { demanded, verdicts, memory: { database: databaseMemory, services: memory } };
  } finally {
    clearInterval(progress);
    done.abort();
  }
}
