import { standardSecretPrefix } from "#shared/webhook/standard-signature.ts";
import { secretsInUrl } from "../webhook/secrets-to-redact.ts";

/**
 * Returns the strings to redact in the reply of a trigger's receiver: the trigger's secrets, the signatures of the
 * message and the tokens in the URL. A reply may contain a secret without its prefix or padding, or in another
 * encoding.
 */
export function secretsInReply(url: URL, keys: readonly Uint8Array[], signature: string): string[] {
  const secrets = keys.flatMap((key) => {
    const bytes = Buffer.from(key);
    const text = bytes.toString("base64");
    return [
      `${standardSecretPrefix}${text}`,
      text.replace(/=+$/, ""),
      bytes.toString("base64url"),
      bytes.toString("hex"),
    ];
  });
  const digests = signature.split(/ ?v1,/).map((digest) => digest.replace(/=+$/, ""));
  return [...new Set([...secrets, ...digests, ...secretsInUrl(url)].filter((text) => text !== ""))];
}
