import { ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";

/**
 * Role of a live secret that is not active: `next` is not active yet, `previous` was active until it was replaced, and
 * continues to sign messages.
 */
export type OtherRole = "next" | "previous";

/** A live signing secret that is not active. */
interface OtherSecret<Secret> {
  readonly role: OtherRole;
  readonly secret: Secret;
  /** When it stops signing messages; null if a step of the rotation drops it. */
  readonly until: Date | null;
}

/**
 * The live signing secrets of a webhook, which rotates them in steps, or of a trigger, which replaces them at once.
 * `Secret` is any representation of a secret; a rotation does not inspect it.
 */
export interface LiveSecrets<Secret> {
  readonly active: Secret;
  /** The most recent one first; any of them may have expired. A webhook has at most one, during a rotation. */
  readonly others: readonly OtherSecret<Secret>[];
}

/** A signing secret as webhooks and triggers store it. */
export interface StoredSecret {
  /** Encrypted. */
  readonly text: string;
  readonly createdAt: Date;
}

/** Maximum number of previous secrets of a trigger, which limits the size of the trigger's document. */
export const previousSecretsMax = 4;

/**
 * A step of a zero-downtime secret rotation: `begin` adds the next secret, `switch` makes it the active one, `finish`
 * drops the previous one; `cancel` drops the next one instead of switching. `remove` drops all: messages are no longer
 * signed.
 */
export type RotationStep<Secret> =
  | { readonly kind: "begin"; readonly next: Secret }
  | { readonly kind: "switch" | "finish" | "cancel" | "remove" };

/**
 * Returns the live secrets after a step; null, also as `live`, if messages are not signed. A repeated step is refused,
 * so that a retry cannot take two steps.
 *
 * @throws ServiceError `conflict` for `begin` during a rotation; `failed_precondition` for any other step out of order,
 * and for every step if messages are not signed
 */
export function rotateSecrets<Secret>(
  live: LiveSecrets<Secret> | null,
  step: RotationStep<Secret>,
): LiveSecrets<Secret> | null {
  if (live === null) throw outOfOrder(step.kind === "remove" ? "no_secret_to_remove" : "messages_not_signed");
  const { active } = live;
  const [other] = live.others;
  if (step.kind === "begin") {
    if (other === undefined) return { active, others: [{ role: "next", secret: step.next, until: null }] };
    throw new ServiceError("conflict", reason(other.role === "next" ? "rotation_begun" : "rotation_unfinished"));
  }
  if (step.kind === "remove") return null;
  if (other === undefined) throw outOfOrder("no_rotation");
  if (step.kind === "switch") {
    if (other.role === "previous") throw outOfOrder("next_secret_active");
    return { active: other.secret, others: [{ role: "previous", secret: active, until: null }] };
  }
  if (step.kind === "finish" && other.role === "next") throw outOfOrder("next_secret_not_active");
  if (step.kind === "cancel" && other.role === "previous") throw outOfOrder("next_secret_active");
  return { active, others: [] };
}

/**
 * Replaces the active secret. Drops expired secrets, and the oldest ones beyond {@link previousSecretsMax}. The others
 * expire at their own times: the receiver may still use any of them, for example if the page that showed a newer secret
 * was closed too early.
 */
export function replaceSecret<Secret>(
  { active, others }: LiveSecrets<Secret>,
  { next, previousUntil }: { readonly next: Secret; readonly previousUntil: Date },
  now: Date,
): LiveSecrets<Secret> {
  const replaced = { role: "previous", secret: active, until: previousUntil } as const;
  return { active: next, others: [replaced, ...unexpired(others, now)].slice(0, previousSecretsMax) };
}

/** Returns the secrets that sign messages, the active one first. */
export function signingSecrets<Secret>({ active, others }: LiveSecrets<Secret>, now: Date): Secret[] {
  return [active, ...unexpired(others, now).map(({ secret }) => secret)];
}

/** Applies `change` to each secret, including the expired ones. */
export function mapSecrets<Secret, Changed>(
  { active, others }: LiveSecrets<Secret>,
  change: (secret: Secret) => Changed,
): LiveSecrets<Changed> {
  const changed = others.map(({ role, secret, until }) => ({ role, secret: change(secret), until }));
  return { active: change(active), others: changed };
}

function unexpired<Secret>(others: readonly OtherSecret<Secret>[], now: Date): OtherSecret<Secret>[] {
  return others.filter(({ until }) => until === null || until > now);
}

type OutOfOrder =
  | "messages_not_signed"
  | "next_secret_active"
  | "next_secret_not_active"
  | "no_rotation"
  | "no_secret_to_remove";

function outOfOrder(code: OutOfOrder): ServiceError {
  return new ServiceError("failed_precondition", reason(code));
}
