import type { Status } from "./certificate.ts";

/** The operations on an issued certificate that the state machine covers (INTERFACE.md §3). */
export const operations = ["revoke", "reactivate", "transfer", "verify", "report"] as const;

/** One of {@link operations}. */
export type Operation = (typeof operations)[number];

/** The effect of an operation: the resulting status, or why the operation is refused. */
export type Transition = { readonly to: Status } | { readonly refused: string };

const to = (status: Status): Transition => ({ to: status });
const refuse = (refused: string): Transition => ({ refused });

const isRevoked = refuse("The certificate is revoked.");
const isExpired = refuse("The certificate has expired.");

/**
 * The state machine (INTERFACE.md §3): one cell per operation and status. Opening the verification page and reporting a
 * problem are allowed in every status, because a buyer can see the page in every status.
 */
const table: Readonly<Record<Operation, Readonly<Record<Status, Transition>>>> = {
  revoke: {
    active: to("revoked"),
    revoked: refuse("The certificate is already revoked."),
    expired: isExpired,
  },
  reactivate: {
    active: refuse("The certificate is already active."),
    revoked: to("active"),
    expired: isExpired,
  },
  transfer: { active: to("active"), revoked: isRevoked, expired: isExpired },
  verify: { active: to("active"), revoked: to("revoked"), expired: to("expired") },
  report: { active: to("active"), revoked: to("revoked"), expired: to("expired") },
};

/**
 * Returns the effect of an operation on a certificate.
 *
 * @param status the current status, not the stored one
 * @param hasExpired whether `expiresAt` has been reached: a revoked certificate then cannot be reactivated
 */
export function transitionOf(operation: Operation, status: Status, hasExpired: boolean): Transition {
  if (operation === "reactivate" && status === "revoked" && hasExpired) return isExpired;
  return table[operation][status];
}
