import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";

// The Fetch standard's "redirect statuses".
const redirects: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Classifies a final status, 200 to 999 (INTERFACE.md §6, rule 1: any 2xx confirms delivery).
 *
 * @returns the outcome, and a reason for the merchant: what happened, then what to do
 */
export function classifyStatus(status: number): { readonly kind: OutcomeKind; readonly reason: string } {
  if (status <= 299) return { kind: OutcomeKind.DELIVERED, reason: `The receiver replied with status ${status}.` };
  if (redirects.includes(status)) {
    const redirected = `The receiver replied with a redirect (status ${status}).`;
    const remedy = "Redirects are not followed: enter the target address as the webhook URL.";
    return { kind: OutcomeKind.REDIRECTED, reason: `${redirected} ${remedy}` };
  }
  const remedy = "To confirm a message, reply with a status from 200 to 299.";
  return { kind: OutcomeKind.REFUSED, reason: `The receiver replied with status ${status}. ${remedy}` };
}
