import { printable } from "#shared/text/printable.ts";
import type { ReplyBody } from "./body-reader.ts";
import { encodedVariants } from "./encoded-variants.ts";

const hiddenMark = "[hidden]";
// Shorter beginnings of a secret occur in any text.
const partBytesMin = 6;

/**
 * The beginning of a reply's body as the log shows it: UTF-8, without anything that a terminal would obey, and without
 * the texts that are to be hidden (a receiver's error page may print its settings or the request). What is compressed
 * stays so and is not shown.
 *
 * @param hidden gathers the texts that may not be stored in any usual form, none of them empty; asked where there is something to hide in
 */
export function replyExcerpt({ bytes, compression }: ReplyBody, hidden: () => readonly string[]): string {
  if (bytes.length === 0) return "";
  if (compression !== "") return `[compressed (${printable(compression).slice(0, 40)}), not shown]`;
  // The last character may be cut in two: that half is left out.
  const text = new TextDecoder().decode(hide(bytes, hidden()), { stream: true });
  return printable(text);
}

/** Hides on the level of bytes: a text that is no valid UTF-8 hides nothing from this. */
function hide(bytes: Buffer, hidden: readonly string[]): Buffer {
  if (hidden.length === 0) return bytes;
  const page = bytes.toString("latin1");
  // The longest first: a secret may begin with another one.
  const secrets = hidden
    .flatMap((secret) => encodedVariants(secret, page))
    .map((secret) => Buffer.from(secret).toString("latin1"))
    .toSorted((a, b) => b.length - a.length);
  const any = new RegExp(secrets.map((secret) => RegExp.escape(secret)).join("|"), "g");
  const shown = page.replaceAll(any, hiddenMark);
  const part = Math.max(...secrets.map((secret) => partAtEnd(shown, secret)));
  return Buffer.from(part === 0 ? shown : `${shown.slice(0, -part)}${hiddenMark}`, "latin1");
}

/** How much of a secret's beginning stands at the end of a text, where the rest was cut off. */
function partAtEnd(text: string, secret: string): number {
  for (let length = secret.length - 1; length >= partBytesMin; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}
