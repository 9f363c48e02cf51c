import { writeFile } from "node:fs/promises";
import { messageOf } from "../../../deploy/local/servers/setup-error.ts";
import { flag, integer, seed, stackOptions } from "../../../deploy/local/stack/command-line.ts";
import { defaultClaimLifeMs } from "../../../services/registry/deliveries/claim-state.ts";
import { openTemporaryFolder } from "../../harness/files/temporary-folder.ts";
import { startSamplingMemory } from "../../harness/process-memory.ts";
import { actorRandom } from "../../harness/seeded-random.ts";
import { withReceiver } from "../../harness/stack/start-stack.ts";
import { sum } from "../../harness/statistics.ts";
import { defineCheck } from "../runner/check.ts";
import { Counter } from "../runner/counter.ts";
import { createGoal } from "../runner/goal.ts";
import { Workload } from "../runner/workload.ts";
import { writerTimeoutMs } from "../runner/workload-store.ts";
import { evaluateStack } from "./evaluate-stack.ts";
import { type NotifierTask, type TargetsFile, taskVariables } from "./notifier-task.ts";
import { createStepKills } from "./step-kills.ts";
import { createStoreTriggers } from "./store-triggers.ts";
import { notifierConcurrency, violationCounts, violations } from "./verdict.ts";
import { createWebhookStores, type WebhookStore } from "./webhook-stores.ts";

// Some receivers hang: with the default timeout of 8 s per message, a run would take hours.
const replyTimeoutMs = 1_000;

// A writer usually changes the same certificate again; otherwise it pauses and chooses another. The pauses are longer
// while the kills at delivery steps are further from their goal than the events.
const sameCertificateProbability = 0.7;
const pauseMs = { short: 100, long: 1_000 };

// JetStream redelivers the messages that a killed notifier had received, every 30 s until their claims have expired.
// After five minutes, the relay republishes messages that JetStream lost.
const redeliveredWithinMs = 330_000;
// Short with --ack-first, because JetStream does not redeliver acknowledged messages.
const quietAfterAckFirstMs = 10_000;

/** `npm run check:webhooks`: notifiers deliver events while they and other processes are killed. */
export const webhooksCheck = defineCheck({
  name: "webhooks",
  options: {
    events: integer(
      1,
      10_000_000,
      "minimum number of events; the run also continues until there are enough kills",
    ).default(5_000),
    minutes: integer(1, 10_080, "duration of the run, instead of a number of events").optional(),
    seed,
    stores: integer(1, 1_000, "stores, with receivers of every kind").default(24),
    writers: integer(1, 1_000, "writers, each with one change in progress").default(16),
    notifiers: integer(1, 20, "notifier replicas").default(3),
    killsPerStep: integer(1, 1_000, "minimum number of notifier kills at each delivery step").default(8),
    killEveryMs: integer(1, 3_600_000, "mean time between two kills of database, NATS or a registry").default(5_000),
    noKills: flag("kills no process"),
    claimLifeMs: integer(
      10_000,
      3_600_000,
      "age at which a claim without an outcome is settled as interrupted (default 60000, as in production)",
    ).optional(),
    ackFirst: flag(
      "acknowledges messages without waiting for their delivery, and claims no events; the check is expected to fail",
    ),
    ignoreClaims: flag("sends messages regardless of the response to the claim; the check is expected to fail"),
    ...stackOptions,
  },
  zero: {
    ...violations,
    trigger_lost: "events that the receiver of a workflow trigger did not get, although it accepts every event",
    trigger_out_of_order: "POSTs to a trigger after the POST of a later event of the same certificate",
    crashed: "process exits that the check did not cause",
  },
  // Two registries, notifiers that kill themselves at delivery steps, and a receiver.
  start: async ({ options, startStack, onClose }) => {
    const { claimLifeMs, noKills } = options;
    // Contains the files that notifiers of the check share; the targets are written after the notifiers have started.
    const files = await openTemporaryFolder("check-webhooks-notifiers", onClose);
    const targetsFile = `${files}/targets.json`;
    const handling = handlingOf(options);
    const stepKills = noKills ? undefined : createStepKills(options, handling, `${files}/kills`);
    const notifier = {
      script: "test/checks/webhooks/notifier.ts",
      killsItself: true,
      env: () => ({
        NOTIFIER_CONCURRENCY_MAX: String(notifierConcurrency),
        NOTIFIER_REPLY_TIMEOUT_MS: String(replyTimeoutMs),
        ...taskVariables({ handling, targetsFile, kill: stepKills?.next() }),
      }),
    };
    const shortClaims = "test/checks/webhooks/short-claims-registry.ts";
    // The first retry follows about 0.2 s after a trigger's receiver has refused an event.
    const retries = { REGISTRY_TRIGGER_RETRY_BASE_MS: "200", REGISTRY_AUTOMATION_EVENTS: "on" };
    const registry = claimLifeMs
      ? { script: shortClaims, env: { ...retries, CHECK_CLAIM_LIFE_MS: String(claimLifeMs) } }
      : { env: retries };
    const stack = await startStack({
      registries: [registry, registry],
      notifiers: Array.from({ length: options.notifiers }, () => notifier),
      receiverSeed: options.seed,
      callTimeoutMs: writerTimeoutMs,
    });
    return { ...withReceiver(stack), stepKills, targetsFile };
  },
  examine: async (stack, { options, signal, log }) => {
    const { registries, notifiers, stepKills, nats, receiver, supervisor } = stack;
    const { seed, writers } = options;
    const handling = handlingOf(options);
    const random = actorRandom(seed, "killer and stores");
    const stores = await createWebhookStores(options.stores, receiver.url, random.pick(registries));
    const triggers = await createStoreTriggers(stores, receiver.url, random.pick(registries));
    await writeFile(stack.targetsFile, JSON.stringify(targetsOf(stores, receiver.url)));
    const processes = [stack.database, nats, ...registries].flatMap((part) => (part ? [part.process] : []));
    const killing = options.noKills ? undefined : { processes, random, everyMs: options.killEveryMs };
    const workload = new Workload({ seed, writers, registries, kills: killing, signal, log });
    const { calls, changes, killer } = workload;
    const kills = () => (killer?.kills ?? 0) + (stepKills?.kills ?? 0);
    // A run with incorrect handling is expected to fail, so it need not reach the required number of kills at steps.
    const killProgress = () => (handling === "usual" ? (stepKills?.progress ?? 1) : 1);
    const goal = createGoal({ minutes: options.minutes, count: options.events, unit: "events", made: changes });
    using sampling = startSamplingMemory([...processes, ...notifiers]);
    const unfinished = await workload.run({
      stores,
      sameCertificateProbability,
      pauseMs: () => (goal.share() > killProgress() ? pauseMs.long : pauseMs.short),
      isEnough: () => goal.share() === 1 && (killer?.killedAll ?? true) && killProgress() === 1,
      progress: () => `${goal.text()}, ${kills()} kills`,
    });
    stepKills?.stop();
    const down = await firstFailure(notifiers.map((notifier) => notifier.whenUp()));
    const { memory_mb, flat } = await sampling.stop();

    const { claimLifeMs = defaultClaimLifeMs } = options;
    const quietMs = handling === "ack-first" ? quietAfterAckFirstMs : claimLifeMs + redeliveredWithinMs;
    const waits = down === undefined;
    const evaluated = await evaluateStack({ stack, stores, triggers, kills: kills(), quietMs, waits, signal, log });
    const { verdict, triggers: ofTriggers } = evaluated;
    const endedEarly =
      unfinished ?? down ?? (evaluated.isSettled ? undefined : "stopped before every event had an outcome");
    const crashes = supervisor.unexpectedExits;
    const stepCounts = stepKills?.counts() ?? new Map<string, number>();
    const steps = Array.from(stepCounts, ([step, count]) => `${step} ${count}`).join(", ");
    const processKills = killer?.kills ?? 0;
    return {
      lines: [
        `writer calls: ${calls}`,
        `outcomes: ${Counter.of(Array.from(evaluated.outcomes.values(), ({ kind }) => kind))}`,
        `notifier kills: ${steps || "none"}; kills of servers and registries: ${processKills}`,
      ],
      findings: [...crashes, ...verdict.findings, ...ofTriggers.findings],
      counts: {
        seed,
        events: evaluated.events,
        posts: verdict.posts,
        trigger_posts: ofTriggers.posts,
        ...violationCounts(verdict),
        trigger_lost: ofTriggers.lost,
        trigger_out_of_order: ofTriggers.outOfOrder,
        crashed: crashes.length,
        interrupted: verdict.interrupted,
        skipped: verdict.skipped,
        kills: processKills + sum(stepCounts.values()),
        stores: options.stores,
        seconds: Math.round(performance.now() / 1_000),
        handling,
        complete: endedEarly === undefined,
        memory_mb,
        flat,
      },
      // In runs of at least four minutes, the memory of every process except the database must be flat.
      passed: flat !== false,
      endedEarly,
    };
  },
});

/** Returns how the notifiers handle events. */
function handlingOf(options: { readonly ackFirst: boolean; readonly ignoreClaims: boolean }): NotifierTask["handling"] {
  if (options.ackFirst) return "ack-first";
  return options.ignoreClaims ? "ignore-claims" : "usual";
}

/** Waits until all work has ended. @returns the message of the first error in the list; undefined if there is none */
async function firstFailure(work: readonly Promise<void>[]): Promise<string | undefined> {
  const failed = (await Promise.allSettled(work)).find((end) => end.status === "rejected");
  return failed && messageOf(failed.reason);
}

/**
 * Returns the webhook targets for notifiers that do not take them from the registry: those that make no claims, and
 * those that ignore the response to a claim.
 */
function targetsOf(stores: readonly WebhookStore[], receiverUrl: string): TargetsFile {
  return Object.fromEntries(
    stores.flatMap(({ id, webhook }) => {
      if (webhook === null) return [];
      const { path, format, secret } = webhook;
      return [[id, { url: `${receiverUrl}${path}`, format, secret: secret ?? "" }]];
    }),
  );
}
