import { ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";

/** Role of the second live signing secret: `next` is not active yet, `previous` was active until the switch. */
export type OtherRole = "next" | "previous";

/**
 * The live signing secrets of a store's webhook. `Secret` is any representation of a secret; the rotation does not
 * inspect it.
 */
export interface LiveSecrets<Secret> {
  /** Null if messages are not signed. */
  readonly active: Secret | null;
  /** Null if no rotation is in progress. */
  readonly other: { readonly role: OtherRole; readonly secret: Secret } | null;
}

/**
 * A step of a zero-downtime secret rotation: `begin` adds the next secret, `switch` makes it the active one, `finish`
 * drops the previous one; `cancel` drops the next one instead of switching. `remove` drops all: messages are no longer
 * signed.
 */
export type RotationStep<Secret> =
  | { readonly kind: "begin"; readonly next: Secret }
  | { readonly kind: "switch" | "finish" | "cancel" | "remove" };

/**
 * Returns the live secrets after a step. A repeated step is refused, so that a retry cannot take two steps.
 *
 * @throws ServiceError `conflict` for `begin` during a rotation; `failed_precondition` for any other step out of order,
 * and for every step if messages are not signed
 */
export function rotateSecrets<Secret>(live: LiveSecrets<Secret>, step: RotationStep<Secret>): LiveSecrets<Secret> {
  const { active, other } = live;
  if (active === null) throw outOfOrder(step.kind === "remove" ? "no_secret_to_remove" : "messages_not_signed");
  if (step.kind === "begin") {
    if (other === null) return { active, other: { role: "next", secret: step.next } };
    throw new ServiceError("conflict", reason(other.role === "next" ? "rotation_begun" : "rotation_unfinished"));
  }
  if (step.kind === "remove") return { active: null, other: null };
  if (other === null) throw outOfOrder("no_rotation");
  if (step.kind === "switch") {
    if (other.role === "previous") throw outOfOrder("next_secret_active");
    return { active: other.secret, other: { role: "previous", secret: active } };
  }
  if (step.kind === "finish" && other.role === "next") throw outOfOrder("next_secret_not_active");
  if (step.kind === "cancel" && other.role === "previous") throw outOfOrder("next_secret_active");
  return { active, other: null };
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
