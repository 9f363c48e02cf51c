import { SecretRole, type SigningSecret } from "#gen/registry/v1/notifier_service_pb.js";
import { signatureHeaderNames, signatureOf } from "#shared/webhook/signature.ts";

/** The secrets that sign a message. */
export interface SigningSecrets {
  /** The active secret; empty if the store's messages are not signed. */
  readonly secret: Uint8Array;
  /** The second secret during a rotation. */
  readonly otherSecret?: SigningSecret | undefined;
}

/** An HTTP header that contains the signature made with one secret. */
export type SignatureHeader = readonly [name: string, value: string];

/**
 * Returns the signature headers of a body (INTERFACE.md §5): one for the active secret, and one for the second secret
 * during a rotation; none without an active secret.
 */
export function signatureHeaders({ secret, otherSecret }: SigningSecrets, body: Uint8Array): SignatureHeader[] {
  if (secret.length === 0) return [];
  const signing = [{ role: SecretRole.ACTIVE, secret }, ...(otherSecret === undefined ? [] : [otherSecret])];
  return signing.flatMap(({ role, secret: signingSecret }) => {
    const name = signatureHeaderNames[role];
    return name === undefined ? [] : [[name, signatureOf(signingSecret, body)] as const];
  });
}
