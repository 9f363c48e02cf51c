import { createHmac, createSecretKey } from "node:crypto";
import { SecretRole } from "#gen/registry/v1/notifier_service_pb.js";

/** The prefix of the values of all headers in {@link signatureHeaderNames}; the hexadecimal HMAC follows. */
export const signaturePrefix = "sha256=";

/**
 * Returns a message's signature (INTERFACE.md §5): `sha256=` and the lowercase hexadecimal HMAC-SHA256 of the raw body.
 *
 * @param secret the text of the signing secret, encoded as UTF-8
 */
export function signatureOf(secret: Uint8Array, body: Uint8Array): string {
  // Uses a KeyObject because Node 24 is five times slower with raw bytes.
  return signaturePrefix + createHmac("sha256", createSecretKey(secret)).update(body).digest("hex");
}

/**
 * The names of the signature headers by the role of the secret: the header of INTERFACE.md §5 for the active secret,
 * and additional headers during a rotation. Roles that this release does not know have no header.
 */
export const signatureHeaderNames: Readonly<Partial<Record<SecretRole, string>>> = {
  [SecretRole.ACTIVE]: "X-Service-Signature",
  [SecretRole.NEXT]: "X-Service-Signature-Next",
  [SecretRole.PREVIOUS]: "X-Service-Signature-Previous",
};
