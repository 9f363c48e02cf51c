import { writeFile } from "node:fs/promises";
import type { StackReceiver } from "../../harness/receiver/start-receiver.ts";
import { type Stack, startStack } from "../../harness/stack/start-stack.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { createTemporaryFolder } from "../../harness/temporary-folder.ts";
import { writerTimeoutMs } from "../runner/workload-store.ts";
import { type TargetsFile, taskVariables } from "./notifier-task.ts";
import { handlingOf, type WebhooksOptions } from "./options.ts";
import { createStepKills, type StepKills } from "./step-kills.ts";
import { notifierConcurrency } from "./verdict.ts";

/** Two registries, notifiers that kill themselves at delivery steps, and a receiver. */
export interface WebhooksStack extends Stack {
  readonly receiver: StackReceiver;
  /** Undefined if no notifier kills itself. */
  readonly stepKills: StepKills | undefined;
  /**
   * Writes the webhook targets for notifiers that do not take them from the registry: those that make no claims, and
   * those that ignore the response to a claim.
   */
  writeTargets(targets: TargetsFile): Promise<void>;
}

// Some receivers hang: with the default timeout of 8 s per message, a run would take hours.
const replyTimeoutMs = 1_000;

/** Starts the stack. @throws SetupError when a part cannot be started */
export async function startWebhooksStack(
  options: WebhooksOptions,
  signal: AbortSignal,
  log: Log,
): Promise<WebhooksStack> {
  const { claimLifeMs, noBuild, noKills, keep, seed } = options;
  // Contains the files that notifiers of the check share; the targets are written after the notifiers have started.
  const files = await createTemporaryFolder("check-webhooks-notifiers");
  const targetsFile = `${files.path}/targets.json`;
  const stepKills = noKills ? undefined : createStepKills(options, `${files.path}/kills`);
  const handling = handlingOf(options);
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
    name: "check-webhooks",
    keep,
    restart: true,
    signal,
    log,
    logLevel: "warn",
    buildFast: !noBuild,
    registries: [registry, registry],
    notifiers: Array.from({ length: options.notifiers }, () => notifier),
    receiverSeed: seed,
    callTimeoutMs: writerTimeoutMs,
  }).catch(async (error: unknown) => {
    await files.remove();
    throw error;
  });
  stack.supervisor.onClose(files.remove);
  const { receiver } = stack;
  if (receiver === undefined) throw new Error("the stack has no receiver");
  const writeTargets = (targets: TargetsFile) => writeFile(targetsFile, JSON.stringify(targets));
  return { ...stack, receiver, stepKills, writeTargets };
}
