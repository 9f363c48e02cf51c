import { SecretRole, type SigningSecret } from "#gen/registry/v1/notifier_service_pb.js";
import { isTestId } from "../events/event-fields.ts";
import { signatureHeaderNames, signatureOf } from "./signature.ts";

/** The `Content-Type` of webhook messages. */
export const messageType = "application/json";

/** The `User-Agent` of webhook messages. */
export const userAgent = "certificate-registry-notifier";

/** The secrets that sign a message. */
export interface SigningSecrets {
  /** The active secret; empty if the store's messages are not signed. */
  readonly secret: Uint8Array;
  /** The second secret during a rotation. */
  readonly otherSecret?: SigningSecret | undefined;
}

/** An HTTP header of a message. */
export type MessageHeader = readonly [name: string, value: string];

/**
 * Returns the signature headers of a body (INTERFACE.md §5): one for the active secret, and one for the second secret
 * during a rotation; none without an active secret.
 */
export function signatureHeaders({ secret, otherSecret }: SigningSecrets, body: Uint8Array): MessageHeader[] {
  if (secret.length === 0) return [];
  const signing = [{ role: SecretRole.ACTIVE, secret }, ...(otherSecret === undefined ? [] : [otherSecret])];
  return signing.flatMap(({ role, secret: signingSecret }) => {
    const name = signatureHeaderNames[role];
    return name === undefined ? [] : [[name, signatureOf(signingSecret, body)] as const];
  });
}

/**
 * Returns the headers of a message that depend on it (INTERFACE.md §4.2).
 *
 * @param deliveryId the value of `X-Service-Delivery`. The id of a test message also adds `X-Service-Test: true`
 * @param signatures empty for unsigned messages
 */
export function messageHeaders(deliveryId: string, signatures: readonly MessageHeader[]): MessageHeader[] {
  const test = isTestId(deliveryId) ? [["X-Service-Test", "true"] as const] : [];
  return [["X-Service-Delivery", deliveryId], ...test, ...signatures];
}
