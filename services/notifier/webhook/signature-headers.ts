import { SecretRole, type SigningSecret } from "#gen/registry/v1/notifier_service_pb.js";
import { signatureOf } from "#shared/webhook/signature.ts";

/** The secrets that a message is signed with. */
export interface SigningSecrets {
  /** The active one's bytes; empty where messages are not signed. */
  readonly secret: Uint8Array;
  /** The other live one, while the store replaces its secret. */
  readonly otherSecret?: SigningSecret | undefined;
}

/** A header that carries a signature. */
export type SignatureHeader = readonly [name: string, value: string];

const activeHeader = "X-Service-Signature";
const otherHeaders: Readonly<Partial<Record<SecretRole, string>>> = {
  [SecretRole.NEXT]: "X-Service-Signature-Next",
  [SecretRole.PREVIOUS]: "X-Service-Signature-Previous",
};

/**
 * The headers that sign a body (interface specification §5): the active secret's digest alone in the one that every receiver
 * looks at, the other live secret's in one of its own.
 */
export function signatureHeaders(
  { secret, otherSecret }: SigningSecrets,
  body: Uint8Array,
): SignatureHeader[] {
  if (secret.length === 0) return [];
  const active: SignatureHeader = [activeHeader, signatureOf(secret, body)];
  if (otherSecret === undefined) return [active];
  const otherHeader = otherHeaders[otherSecret.role];
  return otherHeader === undefined
    ? [active]
    : [active, [otherHeader, signatureOf(otherSecret.secret, body)]];
}
