import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";

/** What a status means to the merchant. */
export interface StatusClass {
  readonly kind: OutcomeKind;
  readonly reason: string;
}

// Those that a client would follow: the Fetch standard's "redirect status".
const redirects: readonly number[] = [301, 302, 303, 307, 308];

/** Judges a final status, 200 to 999 (INTERFACE.md §6, rule 1: any 2xx is a delivery). */
export function classifyStatus(status: number): StatusClass {
  const answered = `The receiver answered with status ${status}`;
  if (status <= 299) return { kind: OutcomeKind.DELIVERED, reason: `${answered}.` };
  if (!redirects.includes(status)) return { kind: OutcomeKind.REFUSED, reason: `${answered}.` };
  const reason = `${answered}: it is at another address. Redirects are not followed; enter that address as the webhook URL.`;
  return { kind: OutcomeKind.REDIRECTED, reason };
}
