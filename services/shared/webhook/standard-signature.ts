import { createHmac, createSecretKey, randomBytes } from "node:crypto";

/** The prefix of a Standard Webhooks secret; base64 of the HMAC key follows. */
export const standardSecretPrefix = "whsec_";

// The specification asks for 24 to 64 bytes.
const keyBytes = 32;

/** Generates a Standard Webhooks secret: `whsec_` and base64 of 32 random bytes. */
export function generateStandardSecret(): string {
  return `${standardSecretPrefix}${randomBytes(keyBytes).toString("base64")}`;
}

/** Returns the HMAC key of a secret that {@link generateStandardSecret} generated. */
export function standardSigningKey(secret: string): Buffer {
  return Buffer.from(secret.slice(standardSecretPrefix.length), "base64");
}

interface StandardMessage {
  /** The same in every attempt to send the message. Must not contain a full stop, which separates the signed parts. */
  readonly id: string;
  /** The time of the attempt, in seconds since the Unix epoch. */
  readonly timestamp: number;
  readonly body: Uint8Array;
}

/**
 * Returns the value of `webhook-signature`: for each key, `v1,` and base64 of the HMAC-SHA256 of
 * `<id>.<timestamp>.<body>`, separated by spaces (https://www.standardwebhooks.com).
 */
export function standardSignature(keys: readonly Uint8Array[], { id, timestamp, body }: StandardMessage): string {
  return keys
    .map((key) => {
      const hmac = createHmac("sha256", createSecretKey(key)).update(`${id}.${timestamp}.`).update(body);
      return `v1,${hmac.digest("base64")}`;
    })
    .join(" ");
}
