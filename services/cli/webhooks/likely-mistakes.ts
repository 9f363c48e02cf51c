import { signingSecretPrefix } from "#shared/keys/signing-secret.ts";

/** A mistake that people make, and what they used by it. */
export type Variant = readonly [mistake: string, used: Buffer];

/** What may have been used as the secret by mistake. @param file what the secret's file holds */
export function secretVariants(file: Buffer, secret: Buffer): Variant[] {
  const text = secret.toString("latin1");
  const withoutPrefix = text.startsWith(signingSecretPrefix)
    ? text.slice(signingSecretPrefix.length)
    : undefined;
  const variants: Variant[] = [
    ["It was made with the line break at the end of the secret's file: the secret ends before it.", file],
    ["The secret's file has white space around the secret.", Buffer.from(text.trim(), "latin1")],
  ];
  if (withoutPrefix === undefined) return variants;
  const prefix = `It was made with the secret without ${signingSecretPrefix}: the key is the secret's text as it was shown.`;
  const decoded = "It was made with the decoded secret: the key is the secret's text as it was shown.";
  return [
    ...variants,
    [prefix, Buffer.from(withoutPrefix, "latin1")],
    [decoded, Buffer.from(withoutPrefix, "base64url")],
  ];
}

/** What the body that was signed may be, if the given one is not it. */
export function bodyVariants(body: Buffer): Variant[] {
  const text = body.toString("utf8");
  const compact = compactJson(text);
  return [
    [
      "The body has a line break at its end that was not sent: editors and echo add one (use printf or curl --data-binary).",
      Buffer.from(text.replace(/\r?\n$/, "")),
    ],
    ["The body lacks the line break at its end that was signed.", Buffer.from(`${text}\n`)],
    ["The body's line breaks were changed.", Buffer.from(text.replaceAll("\r\n", "\n"))],
    ["The body begins with a byte order mark that was not sent.", Buffer.from(text.replace(/^\ufeff/, ""))],
    ...(compact === undefined ? [] : [[writtenAnew, Buffer.from(compact)] as const]),
  ];
}

const writtenAnew =
  "The body was parsed and written anew, so its bytes are others: verify the raw body, before any parsing.";

function compactJson(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}
