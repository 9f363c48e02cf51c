import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { type Reason, reason } from "#shared/reasons/reason.ts";

// The Fetch standard's "redirect statuses".
const redirects: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Classifies a final status, 200 to 999 (INTERFACE.md §6, rule 1: any 2xx confirms delivery).
 *
 * @returns the outcome, and its reason
 */
export function classifyStatus(status: number): { readonly kind: OutcomeKind; readonly reason: Reason } {
  if (status <= 299) return { kind: OutcomeKind.DELIVERED, reason: reason("delivered", { status }) };
  if (redirects.includes(status)) return { kind: OutcomeKind.REDIRECTED, reason: reason("redirected", { status }) };
  return { kind: OutcomeKind.REFUSED, reason: reason("status_not_success", { status }) };
}
