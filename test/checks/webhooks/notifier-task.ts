import { readFileSync } from "node:fs";
import { create } from "@bufbuild/protobuf";
import { z } from "zod";
import { WebhookFormat, WebhookTargetSchema } from "#gen/registry/v1/notifier_service_pb.js";
import type { NotifierOverrides } from "../../../services/notifier/run.ts";
import { acknowledgeFirst, ignoreClaims, type Targets } from "./handling.ts";
import { killAtStep, stepKill } from "./kill-at-step.ts";

const taskSchema = z.object({
  /** How the notifier handles events: as usual, or in one of two ways that violate the delivery guarantee. */
  handling: z.enum(["usual", "ack-first", "ignore-claims"]),
  /** Path of a JSON file that contains a {@link TargetsFile}. */
  targetsFile: z.string(),
  kill: stepKill.optional(),
});

/** How a notifier of the check differs from the production notifier. */
export type NotifierTask = z.input<typeof taskSchema>;

const targetsSchema = z.record(
  z.string(),
  z.strictObject({ url: z.string(), format: z.enum(["v1", "v2"]), secret: z.string() }),
);

/** Webhook targets by store id. */
export type TargetsFile = z.input<typeof targetsSchema>;

/** Encodes a task as an environment variable; {@link notifierOverrides} reads it. */
export function taskVariables(task: NotifierTask): Readonly<Record<string, string>> {
  return { CHECK_NOTIFIER_TASK: JSON.stringify(task) };
}

/**
 * Makes this process kill or freeze itself at a step if the task contains `kill`.
 *
 * @returns the parts of the notifier to replace
 * @throws Error for an invalid task
 */
export function notifierOverrides(env: NodeJS.ProcessEnv): NotifierOverrides {
  const { handling, targetsFile, kill } = taskSchema.parse(JSON.parse(env.CHECK_NOTIFIER_TASK ?? ""));
  // Read on first use, because notifiers start before the stores exist.
  let targets: Targets | undefined;
  const targetOf: Targets = (storeId) => {
    targets ??= readTargets(targetsFile);
    return targets(storeId);
  };
  if (kill !== undefined) killAtStep(kill);
  if (handling === "usual") return {};
  return { createHandleEvent: handling === "ack-first" ? acknowledgeFirst(targetOf) : ignoreClaims(targetOf) };
}

function readTargets(file: string): Targets {
  const targets = targetsSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  const formats = { v1: WebhookFormat.V1, v2: WebhookFormat.V2 };
  return (storeId) => {
    const target = targets[storeId];
    if (target === undefined) return undefined;
    const { url, format, secret } = target;
    return create(WebhookTargetSchema, { url, format: formats[format], secret: Buffer.from(secret) });
  };
}
