import { ServiceError } from "#shared/errors/service-error.ts";

/** What a live signing secret other than the active one is: about to become active, or active until lately. */
export type OtherRole = "next" | "previous";

/**
 * The signing secrets that a store's messages are signed with. The decisions do not look into a secret: `Secret` is whatever
 * stands for one.
 */
export interface LiveSecrets<Secret> {
  /** Null where messages are not signed. */
  readonly active: Secret | null;
  /** Null while no rotation is under way. */
  readonly other: { readonly role: OtherRole; readonly secret: Secret } | null;
}

/**
 * A step of replacing a secret without a gap: `begin` adds the next one, `switch` makes it the active one, `finish` drops the
 * one that was active before; `cancel` drops the next one instead of switching.
 */
export type RotationStep<Secret> =
  | { readonly kind: "begin"; readonly next: Secret }
  | { readonly kind: "switch" | "finish" | "cancel" };

/**
 * The live secrets after a step. No step can be taken twice by mistake: a repeated one is refused.
 *
 * @throws ServiceError `conflict` for beginning while a rotation is under way, `failed_precondition` for any other step
 * that does not come next
 */
export function rotateSecrets<Secret>(
  live: LiveSecrets<Secret>,
  step: RotationStep<Secret>,
): LiveSecrets<Secret> {
  const { active, other } = live;
  if (active === null)
    throw notNow(
      "The store's messages are not signed: make a secret first (certctl webhook set <url> --create-secret).",
    );
  if (step.kind === "begin") {
    if (other === null) return { active, other: { role: "next", secret: step.next } };
    throw new ServiceError("conflict", `A rotation is under way already: ${waysOn[other.role]}.`);
  }
  if (other === null) throw notNow("No rotation is under way: begin one.");
  if (step.kind === "switch") {
    if (other.role === "previous") throw notNow(`The next secret is active already: ${waysOn.previous}.`);
    return { active: other.secret, other: { role: "previous", secret: active } };
  }
  if (step.kind === "finish" && other.role === "next")
    throw notNow(`The next secret is not active yet: ${waysOn.next}.`);
  if (step.kind === "cancel" && other.role === "previous")
    throw notNow(`The next secret is active already, so it cannot be dropped: ${waysOn.previous}.`);
  return { active, other: null };
}

const waysOn: Readonly<Record<OtherRole, string>> = {
  next: "switch to the next secret, or cancel",
  previous: "finish by dropping the previous secret",
};

function notNow(message: string): ServiceError {
  return new ServiceError("failed_precondition", message);
}
