import { createHmac, createSecretKey } from "node:crypto";
import { SecretRole } from "#gen/registry/v1/notifier_service_pb.js";

/** What a signature's value begins with. */
export const signaturePrefix = "sha256=";

/**
 * A message's signature (INTERFACE.md §5): `sha256=` and the lowercase hexadecimal HMAC-SHA256 of the raw body.
 *
 * @param secret the signing secret's text as bytes, as it was shown
 */
export function signatureOf(secret: Uint8Array, body: Uint8Array): string {
  // As a key object: Node 24 takes five times as long with the bytes themselves.
  return signaturePrefix + createHmac("sha256", createSecretKey(secret)).update(body).digest("hex");
}

/**
 * The header that carries the digest of a secret: the active one's stands alone in the one of the interface specification (§5),
 * the other live secret's in one of its own. A role that a later version invented has none here.
 */
export const signatureHeaderNames: Readonly<Partial<Record<SecretRole, string>>> = {
  [SecretRole.ACTIVE]: "X-Service-Signature",
  [SecretRole.NEXT]: "X-Service-Signature-Next",
  [SecretRole.PREVIOUS]: "X-Service-Signature-Previous",
};
