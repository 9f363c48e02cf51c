import { SecretRole, type SigningSecret } from "#gen/registry/v1/notifier_service_pb.js";
import { signatureHeaderNames, signatureOf } from "#shared/webhook/signature.ts";

/** The secrets that a message is signed with. */
export interface SigningSecrets {
  /** The active one's bytes; empty where messages are not signed. */
  readonly secret: Uint8Array;
  /** The other live one, while the store replaces its secret. */
  readonly otherSecret?: SigningSecret | undefined;
}

/** A header that carries a signature. */
export type SignatureHeader = readonly [name: string, value: string];

/**
 * The headers that sign a body (INTERFACE.md §5): the active secret's digest, and the other live secret's in a header of its
 * own.
 */
export function signatureHeaders(
  { secret, otherSecret }: SigningSecrets,
  body: Uint8Array,
): SignatureHeader[] {
  if (secret.length === 0) return [];
  const signing = [{ role: SecretRole.ACTIVE, secret }, ...(otherSecret === undefined ? [] : [otherSecret])];
  return signing.flatMap((one) => {
    const name = signatureHeaderNames[one.role];
    return name === undefined ? [] : [[name, signatureOf(one.secret, body)] as const];
  });
}
