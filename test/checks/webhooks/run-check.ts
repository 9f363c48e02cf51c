import { messageOf } from "../../../deploy/local/servers/setup-error.ts";
import { defaultClaimLifeMs } from "../../../services/registry/deliveries/claim-state.ts";
import { actorRandom } from "../../harness/seeded-random.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { startSamplingMemory } from "../limit/memory.ts";
import { AcknowledgedChanges } from "../runner/acknowledged-changes.ts";
import { Counter } from "../runner/counter.ts";
import { createGoal } from "../runner/goal.ts";
import { ProcessKiller } from "../runner/process-killer.ts";
import { type CheckReport, runCheck } from "../runner/run-check.ts";
import { runWorkload } from "../runner/run-workload.ts";
import { evaluateStack } from "./evaluate-stack.ts";
import type { TargetsFile } from "./notifier-task.ts";
import { handlingOf, type WebhooksOptions, webhooksCommand } from "./options.ts";
import { reportOf } from "./report.ts";
import { startWebhooksStack, type WebhooksStack } from "./stack.ts";
import { createStoreTriggers } from "./store-triggers.ts";
import { createWebhookStores, type WebhookStore } from "./webhook-stores.ts";

// A writer usually changes the same certificate again; otherwise it pauses and chooses another. The pauses are longer
// while the kills at delivery steps are further from their goal than the events.
const sameCertificateProbability = 0.7;
const pauseMs = { short: 100, long: 1_000 };

// JetStream redelivers the messages that a killed notifier had received, every 30 s until their claims have expired.
// After five minutes, the relay republishes messages that JetStream lost.
const redeliveredWithinMs = 330_000;
// Short with --ack-first, because JetStream does not redeliver acknowledged messages.
const quietAfterAckFirstMs = 10_000;

/** Runs the webhook check: notifiers deliver events while they and other processes are killed. */
export const runWebhooksCheck = () =>
  runCheck(webhooksCommand, (options) => ({
    seed: options.seed,
    start: (signal, log) => startWebhooksStack(options, signal, log),
    examine: (stack, signal, log) => examine(options, stack, signal, log),
  }));

async function examine(
  options: WebhooksOptions,
  stack: WebhooksStack,
  signal: AbortSignal,
  log: Log,
): Promise<CheckReport> {
  const { registries, notifiers, stepKills, nats, receiver } = stack;
  const { seed, writers } = options;
  const random = actorRandom(seed, "killer and stores");
  const stores = await createWebhookStores(options.stores, receiver.url, random.pick(registries));
  const triggers = await createStoreTriggers(stores, receiver.url, random.pick(registries));
  await stack.writeTargets(targetsOf(stores, receiver.url));
  const calls = new Counter();
  const acknowledged = new AcknowledgedChanges();
  const processes = [stack.database, nats, ...registries].flatMap((part) => (part ? [part.process] : []));
  const everyMs = options.killEveryMs;
  const killer = options.noKills
    ? undefined
    : new ProcessKiller({ processes, random, everyMs, changes: () => acknowledged.count });
  const kills = () => (killer?.kills ?? 0) + (stepKills?.kills ?? 0);
  // A run with incorrect handling is expected to fail, so it need not reach the required number of kills at steps.
  const killProgress = () => (handlingOf(options) === "usual" ? (stepKills?.progress ?? 1) : 1);
  const { minutes, events: count } = options;
  const goal = createGoal({ minutes, count, unit: "events", made: () => acknowledged.count });
  const sampling = startSamplingMemory([...processes, ...notifiers]);
  const unfinished = await runWorkload({
    seed,
    writers,
    stores,
    registries,
    acknowledged,
    calls,
    killer,
    signal,
    log,
    sameCertificateProbability,
    pauseMs: () => (goal.share() > killProgress() ? pauseMs.long : pauseMs.short),
    isEnough: () => goal.share() === 1 && (killer?.killedAll ?? true) && killProgress() === 1,
    progress: () => `${goal.text()}, ${kills()} kills`,
  });
  stepKills?.stop();
  const down = await firstFailure(notifiers.map((notifier) => notifier.whenUp()));
  const memory = await sampling.stop();

  const { claimLifeMs = defaultClaimLifeMs } = options;
  const quietMs = handlingOf(options) === "ack-first" ? quietAfterAckFirstMs : claimLifeMs + redeliveredWithinMs;
  const waits = down === undefined;
  const evaluated = await evaluateStack({ stack, stores, triggers, kills: kills(), quietMs, waits, signal, log });
  return reportOf(options, {
    events: evaluated.events,
    verdict: evaluated.verdict,
    triggers: evaluated.triggers,
    crashes: stack.supervisor.unexpectedExits,
    endedEarly: unfinished ?? down ?? (evaluated.isSettled ? undefined : "stopped before every event had an outcome"),
    memory,
    outcomes: Counter.of(Array.from(evaluated.outcomes.values(), ({ kind }) => kind)),
    calls,
    processKills: killer?.kills ?? 0,
    stepKills: stepKills?.counts() ?? new Map(),
  });
}

/** Waits until all work has ended. @returns the message of the first error in the list; undefined if there is none */
async function firstFailure(work: readonly Promise<void>[]): Promise<string | undefined> {
  const failed = (await Promise.allSettled(work)).find((end) => end.status === "rejected");
  return failed && messageOf(failed.reason);
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
