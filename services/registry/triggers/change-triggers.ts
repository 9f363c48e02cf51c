import type { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { AddressGuard } from "#shared/address-guard/address-guard.ts";
import { badRequest } from "#shared/errors/service-error.ts";
import type { Clock } from "#shared/time/clock.ts";
import { generateStandardSecret } from "#shared/webhook/standard-signature.ts";
import { webhookUrlProblem } from "../stores/change-webhook.ts";
import type { ChangeOrigin } from "../stores/store-history.ts";
import { previousSecretLifeMs, type Trigger, type TriggerFormat, type Triggers } from "./trigger.ts";

export interface CreateTriggerDeps {
  readonly triggers: Pick<Triggers, "create">;
  /** Checks the URL's host; the notifier checks the resolved addresses with the same rules. */
  readonly guard: AddressGuard;
}

/** A trigger to create. Duplicate `events` are ignored. */
interface CreateTriggerInput extends ChangeOrigin {
  readonly url: string;
  readonly format: TriggerFormat;
  readonly events: readonly EventType[];
}

/**
 * Creates a trigger with a new signing secret.
 *
 * @throws ServiceError `bad_request` naming `url`; otherwise as {@link Triggers.create}
 */
export async function createTrigger(
  { triggers, guard }: CreateTriggerDeps,
  { storeId, url, format, events, actor, session }: CreateTriggerInput,
): Promise<{ readonly trigger: Trigger; readonly secret: string }> {
  const problem = webhookUrlProblem(guard, url);
  if (problem !== undefined) throw badRequest("url", problem);
  const secret = generateStandardSecret();
  // Records only the host, because the path or the query of a trigger's URL often contains a secret.
  const details = { host: new URL(url).hostname, format };
  const change = { action: "trigger.created" as const, actor, session, details };
  const distinct = [...new Set(events)].sort((one, other) => one - other);
  return { trigger: await triggers.create(storeId, { url, format, events: distinct, secret }, change), secret };
}

/** Replaces a trigger's signing secret. For a day, messages are also signed with the previous secret. */
export async function rotateTriggerSecret(
  { triggers, clock }: { readonly triggers: Pick<Triggers, "rotateSecret">; readonly clock: Clock },
  { storeId, triggerId, actor, session }: ChangeOrigin & { readonly triggerId: string },
): Promise<{ readonly trigger: Trigger; readonly secret: string }> {
  const secret = generateStandardSecret();
  const previousUntil = new Date(clock.now() + previousSecretLifeMs);
  const change = { action: "trigger.secret_rotated" as const, actor, session, details: { trigger: triggerId } };
  return { secret, trigger: await triggers.rotateSecret(storeId, triggerId, { secret, previousUntil }, change) };
}
