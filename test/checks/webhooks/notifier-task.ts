import { readFileSync } from "node:fs";
import { create } from "@bufbuild/protobuf";
import { z } from "zod";
import { WebhookFormat, WebhookTargetSchema } from "#gen/registry/v1/notifier_service_pb.js";
import { readEnvironment } from "#shared/config/read-environment.ts";
import { deliverySteps } from "../../../services/notifier/delivery-steps.ts";
import type { NotifierOverrides } from "../../../services/notifier/run.ts";
import { acknowledgingFirst, ignoringClaims, type Targets } from "./handling.ts";
import { killAtStep, type StepKill } from "./kill-at-step.ts";

/** How the notifiers handle events: as they do, or in one of the ways that break the promise. */
export const handlings = ["usual", "ack-first", "ignore-claims"] as const;

/** How the notifiers handle events. */
export type Handling = (typeof handlings)[number];

const schema = z.object({
  CHECK_STEP: z.enum(deliverySteps).optional(),
  CHECK_STEP_COUNT: z.coerce.number().int().default(1),
  CHECK_KILL_BOOK: z.string().default(""),
  CHECK_HANDLING: z.enum(handlings).default("usual"),
  /** JSON: a {@link TargetsFile}. */
  CHECK_TARGETS_FILE: z.string().default(""),
});

const targetsSchema = z.record(
  z.string(),
  z.strictObject({ url: z.string(), format: z.enum(["v1", "v2"]), secret: z.string() }),
);

/** Where stores' messages go, by the stores' ids. */
export type TargetsFile = z.input<typeof targetsSchema>;

/** What a notifier of the check has to do, as environment variables; {@link notifierOverrides} reads them. */
export function notifierTask(task: {
  readonly handling: Handling;
  readonly targetsFile: string;
  readonly kill: StepKill | undefined;
}): Readonly<Record<string, string>> {
  const { handling, targetsFile, kill } = task;
  return {
    CHECK_HANDLING: handling,
    CHECK_TARGETS_FILE: targetsFile,
    ...(kill && {
      CHECK_STEP: kill.step,
      CHECK_STEP_COUNT: String(kill.count),
      CHECK_KILL_BOOK: kill.book,
    }),
  };
}

/** Subscribes this process to its kill, if any, and returns the parts to replace. @throws ConfigError for an invalid environment */
export function notifierOverrides(env: Readonly<Record<string, string | undefined>>): NotifierOverrides {
  const {
    CHECK_STEP: step,
    CHECK_STEP_COUNT: count,
    CHECK_KILL_BOOK: book,
    ...task
  } = readEnvironment(schema, env);
  // Read when it is first needed: notifiers start before there are stores.
  let targets: Targets | undefined;
  const targetOf: Targets = (storeId) => {
    targets ??= readTargets(task.CHECK_TARGETS_FILE);
    return targets(storeId);
  };
  if (step !== undefined) killAtStep({ step, count, book });
  return {
    ...(task.CHECK_HANDLING === "ack-first" && { createHandleEvent: acknowledgingFirst(targetOf) }),
    ...(task.CHECK_HANDLING === "ignore-claims" && { createHandleEvent: ignoringClaims(targetOf) }),
  };
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
