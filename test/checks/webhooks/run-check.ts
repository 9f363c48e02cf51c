import { defaultClaimLifeMs } from "../../../services/registry/deliveries/claim-state.ts";
import { choicesOf } from "../runner/choices.ts";
import { conduct, type Say } from "../runner/conduct.ts";
import { Killer } from "../runner/killer.ts";
import { Tally } from "../runner/tally.ts";
import { Told } from "../runner/told.ts";
import { writeAndKill } from "../runner/write-and-kill.ts";
import { type CheckStack, startCheckStack } from "./check-stack.ts";
import type { TargetsFile } from "./notifier-task.ts";
import type { CheckOptions } from "./options.ts";
import { type RunReport, reportLines } from "./report.ts";
import { settle } from "./settle.ts";
import { readEvents, readOutcomes } from "./truth.ts";
import { judge } from "./verdict.ts";
import { createWebhookStores, type WebhookStore } from "./webhook-stores.ts";

// 32 minutes for a run as it is by default.
const limitMs = ({ events }: CheckOptions) => 420_000 + 300 * events;
// Several changes of one certificate in quick succession, then a rest: a longer one while the events are ahead of the kills.
const staysLikelihood = 0.7;
const restMs = { short: 100, long: 1_000 };

// A message of a notifier that was killed comes again after 30 s, and then now and then until its claim is old enough;
// what JetStream lost, the relay publishes again after five minutes.
const comesAgainWithinMs = 330_000;
// Who acknowledges first has nothing that comes again.
const quietWithoutClaimsMs = 10_000;

/** One run of the webhook checker. @returns the exit code @throws Error when the run could not be made */
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
  const { registries, parts, notifiers, stepKills, collections, natsUrl } = stack;
  const { seed, writers } = options;
  const choices = choicesOf(seed, "killer and stores");
  const stores = await createWebhookStores(options.stores, stack.receiverUrl, choices.pick(registries));
  await stack.tellTargets(targetsOf(stores, stack.receiverUrl));
  const calls = new Tally();
  const told = new Told();
  const killer = options.kills
    ? new Killer({ parts, random: choices, everyMs: options.killEveryMs })
    : undefined;
  const kills = () => (killer?.kills ?? 0) + (stepKills?.kills ?? 0);
  // Where the promise is broken, events do not get far enough for every kill.
  const partKilled = () => (options.handling === "usual" ? (stepKills?.partDone ?? 1) : 1);
  await writeAndKill({
    ...{ seed, writers, stores, registries, told, tally: calls, killer, over, say, staysLikelihood },
    restMs: () => (told.count / options.events > partKilled() ? restMs.long : restMs.short),
    isEnough: () => told.count >= options.events && (killer?.hadAll ?? true) && partKilled() === 1,
    beside: [],
    progress: () => `${told.count} of ${options.events} events, ${kills()} kills`,
  });
  stepKills?.stop();
  for (const notifier of notifiers) await notifier.whenUp();

  const outcomesBefore = await readOutcomes(collections);
  await settle({ collections, natsUrl, quietMs: quietMsOf(options), over, say });
  const events = await readEvents(collections);
  const outcomes = await readOutcomes(collections);
  const requests = stack.received();
  const byId = new Map(stores.map((store) => [store.id, store]));
  return {
    events: events.length,
    verdict: judge({ events, stores: byId, outcomes, outcomesBefore, requests }),
    outcomes: Tally.of(Array.from(outcomes.values(), ({ kind }) => kind)),
    calls,
    partKills: killer?.kills ?? 0,
    stepKills: stepKills?.counts() ?? new Map(),
  };
}

function quietMsOf({ handling, claimLifeMs = defaultClaimLifeMs }: CheckOptions): number {
  return handling === "ack-first" ? quietWithoutClaimsMs : claimLifeMs + comesAgainWithinMs;
}

function targetsOf(stores: readonly WebhookStore[], receiverUrl: string): TargetsFile {
  return Object.fromEntries(
    stores.flatMap(({ id, webhook }) => {
      if (webhook === null) return [];
      const { path, format, secret } = webhook;
      return [[id, { url: `${receiverUrl}${path}`, format, secret: secret ?? "" }]];
    }),
  );
}
