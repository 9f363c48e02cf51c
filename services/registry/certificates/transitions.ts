import { type Reason, reason } from "#shared/reasons/reason.ts";
import type { Status } from "./certificate.ts";

/** The operations on an issued certificate that the state machine covers (INTERFACE.md §3). */
export const operations = ["revoke", "reactivate", "transfer", "verify", "report"] as const;

/** One of {@link operations}. */
export type Operation = (typeof operations)[number];

/** The effect of an operation: the resulting status, or why the operation is refused. */
type Transition = { readonly to: Status } | { readonly refused: Reason };

const to = (status: Status): Transition => ({ to: status });
const refuse = (refused: Reason): Transition => ({ refused });

const isRevoked = refuse(reason("certificate_revoked"));
const isExpired = refuse(reason("certificate_expired"));

/**
 * The state machine (INTERFACE.md §3): one cell per operation and status. Opening the verification page and reporting a
 * problem are allowed in every status, because a buyer can see the page in every status.
 */
const table: Readonly<Record<Operation, Readonly<Record<Status, Transition>>>> = {
  revoke: {
    active: to("revoked"),
    revoked: refuse(reason("certificate_already_revoked")),
    expired: isExpired,
  },
  reactivate: {
    active: refuse(reason("certificate_already_active")),
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
