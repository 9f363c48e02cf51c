import type { Status } from "./certificate.ts";

/** What can be done to a certificate after it was issued. */
export const operations = ["revoke", "reactivate", "transfer", "verify", "report"] as const;

/** What can be done to a certificate after it was issued. */
export type Operation = (typeof operations)[number];

/** What an operation does in a state: the status afterwards, or why it is refused. */
export type Transition = { readonly to: Status } | { readonly refused: string };

const stays = (to: Status): Transition => ({ to });
const no = (refused: string): Transition => ({ refused });

const isRevoked = "The certificate is revoked.";
const isExpired = "The certificate is past its date.";

/**
 * The state machine (INTERFACE.md §3), one cell for each state and operation. Opening the verification page
 * and reporting a problem are possible in every state: they are about what a buyer sees.
 */
const table: Readonly<Record<Operation, Readonly<Record<Status, Transition>>>> = {
  revoke: {
    active: { to: "revoked" },
    revoked: no("The certificate is revoked already."),
    expired: no(isExpired),
  },
  reactivate: {
    active: no("The certificate is valid already."),
    revoked: { to: "active" },
    expired: no(isExpired),
  },
  transfer: { active: stays("active"), revoked: no(isRevoked), expired: no(isExpired) },
  verify: { active: stays("active"), revoked: stays("revoked"), expired: stays("expired") },
  report: { active: stays("active"), revoked: stays("revoked"), expired: stays("expired") },
};

/**
 * What an operation does to a certificate.
 *
 * @param status as it is shown
 * @param isPastDate whether `expiresAt` is past: a revoked certificate that is cannot be made valid again
 */
export function transitionOf(operation: Operation, status: Status, isPastDate: boolean): Transition {
  if (operation === "reactivate" && status === "revoked" && isPastDate) return no(isExpired);
  return table[operation][status];
}
