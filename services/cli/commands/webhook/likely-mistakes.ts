import { signingSecretPrefixOf } from "#shared/keys/signing-secret.ts";

/** A sentence that explains a common mistake, and the bytes that the mistake produces. */
type Variant = readonly [mistake: string, bytes: Buffer];

/** Returns the keys that a sender or receiver may have used by mistake. @param file contents of the secret file */
export function secretVariants(file: Buffer, secret: Buffer): Variant[] {
  const text = secret.toString("latin1");
  const prefix = signingSecretPrefixOf(text);
  const variants: Variant[] = [
    ["The key included the line break at the end of the secret file. Sign without this line break.", file],
    ["The secret file has white space around the secret. Remove the white space.", Buffer.from(text.trim(), "latin1")],
  ];
  if (prefix === "") return variants;
  const withoutPrefix = text.slice(prefix.length);
  const prefixMistake = `The secret was used without the prefix ${prefix}. Use the whole secret, including the prefix.`;
  const decodedMistake =
    "The signature was made with the decoded secret. Use the text of the secret as the key, without decoding it.";
  return [
    ...variants,
    [prefixMistake, Buffer.from(withoutPrefix, "latin1")],
    [decodedMistake, Buffer.from(withoutPrefix, "base64url")],
  ];
}

export function bodyVariants(body: Buffer): Variant[] {
  const text = body.toString("utf8");
  const compact = compactJson(text);
  return [
    [
      "The body ends with a line break that was not signed. Editors and echo add one. Save the raw body as received.",
      Buffer.from(text.replace(/\r?\n$/, "")),
    ],
    [
      "The body lacks the final line break of the signed body. Save the raw body as received.",
      Buffer.from(`${text}\n`),
    ],
    [
      "The line breaks of the body were changed. Save the raw body as received.",
      Buffer.from(text.replaceAll("\r\n", "\n")),
    ],
    [
      "The body begins with a byte order mark that was not signed. Save the raw body as received.",
      Buffer.from(text.replace(/^\ufeff/, "")),
    ],
    ...(compact === undefined ? [] : [[reserialized, Buffer.from(compact)] as const]),
  ];
}

const reserialized =
  "The body was parsed and serialized again, which changed its bytes. Verify the raw body before parsing it.";

function compactJson(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    // Malformed, or so deep that it cannot be serialized.
    return undefined;
  }
}
