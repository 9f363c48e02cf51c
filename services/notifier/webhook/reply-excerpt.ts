import { printable } from "#shared/text/printable.ts";
import type { ReplyBody } from "./body-reader.ts";
import { encodedVariants } from "./encoded-variants.ts";

const redacted = "[hidden]";
// Shorter prefixes of a secret can occur by chance in ordinary text.
const prefixMin = 6;

/**
 * Returns the beginning of a reply's body for the delivery log: decoded as UTF-8, made {@link printable}, and with
 * secrets redacted, because a receiver's error page may print its settings or the request. A compressed body is not
 * shown.
 *
 * @param secrets returns the non-empty strings to redact, which are also redacted in the common encodings; not called
 * for an empty or compressed body
 */
export function replyExcerpt({ bytes, compression }: ReplyBody, secrets: () => readonly string[]): string {
  if (bytes.length === 0) return "";
  if (compression !== "") return `[compressed (${printable(compression).slice(0, 40)}), not shown]`;
  // Streaming mode omits an incomplete last character.
  const text = new TextDecoder().decode(redact(bytes, secrets()), { stream: true });
  return printable(text);
}

/** Redacts bytes rather than characters, so that invalid UTF-8 cannot conceal a secret. */
function redact(bytes: Buffer, secrets: readonly string[]): Buffer {
  if (secrets.length === 0) return bytes;
  const page = bytes.toString("latin1");
  // The longest first, because a secret may begin with another secret.
  const variants = secrets
    .flatMap((secret) => encodedVariants(secret, page))
    .map((variant) => Buffer.from(variant).toString("latin1"))
    .toSorted((a, b) => b.length - a.length);
  const any = new RegExp(variants.map((variant) => RegExp.escape(variant)).join("|"), "g");
  const shown = page.replaceAll(any, redacted);
  const truncated = Math.max(...variants.map((variant) => prefixAtEnd(shown, variant)));
  return Buffer.from(truncated === 0 ? shown : `${shown.slice(0, -truncated)}${redacted}`, "latin1");
}

/** Returns the length of the longest proper prefix of `secret` at the end of `text`; 0 if it is below `prefixMin`. */
function prefixAtEnd(text: string, secret: string): number {
  for (let length = secret.length - 1; length >= prefixMin; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}
