import { linkSecretPrefix, sessionTokenPrefix } from "#shared/keys/session-prefixes.ts";
import { signingSecretPrefix } from "#shared/keys/signing-secret.ts";
import { operatorTokenPrefix } from "#shared/operators/operator-token.ts";
import { standardSecretPrefix } from "#shared/webhook/standard-signature.ts";

/** A kind of confidential value that a log line contains. */
interface Leak {
  readonly kind: string;
  /** The line with each leaked value replaced by its kind, truncated to 300 characters. */
  readonly masked: string;
}

const word = "[\\w-]";
// Repetitions that can start at any character are bounded, so that the search takes linear time.
const kinds: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["password in a URL", /(?<=:\/\/)[^\s/@"]{0,100}:[^\s/@"]{1,100}(?=@)/g],
  // `certctl key list` shows the first four characters after the prefix.
  ["API key", /crk_\w{5,}/g],
  ["signing secret", new RegExp(`(?:${signingSecretPrefix}|${standardSecretPrefix})${word}{4,}`, "g")],
  ["operator token", new RegExp(`${operatorTokenPrefix}${word}{4,}`, "g")],
  ["session token", new RegExp(`${sessionTokenPrefix}${word}{4,}`, "g")],
  ["sign-in link", new RegExp(`${linkSecretPrefix}${word}{4,}`, "g")],
  ["private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----/g],
  [
    "e-mail address",
    /[^\s"'`<>()[\]{},;:=/@\\]{1,64}(?:@|%40)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8}\.[a-z]{2,24}/gi,
  ],
  ["cursor in a query", new RegExp(`cursor["\\\\]{0,3}[=:] ?["\\\\]{0,3}${word}{16,}`, "gi")],
  // Random strings in base62 or base64url, such as cursors and the bodies of keys and secrets.
  [
    "random text",
    new RegExp(`(?<!${word})(?=${word}*[a-z])(?=${word}*[A-Z])(?=${word}*[0-9])${word}{30,}(?!${word})`, "g"),
  ],
];

const maskedCharactersMax = 300;

/**
 * Searches a log line for secrets (keys, tokens, sign-in links, passwords in URLs and other random text), cursors and
 * e-mail addresses.
 *
 * @param known further strings that must not appear: the keys of an installation
 * @returns one leak for each kind found
 */
export function findLeaks(line: string, known: readonly string[] = []): Leak[] {
  const found = new Set<string>();
  let masked = line;
  for (const text of known) {
    if (!masked.includes(text)) continue;
    found.add("key of the installation");
    masked = masked.replaceAll(text, "[key of the installation]");
  }
  for (const [kind, pattern] of kinds)
    masked = masked.replace(pattern, () => {
      found.add(kind);
      return `[${kind}]`;
    });
  return [...found].map((kind) => ({ kind, masked: masked.slice(0, maskedCharactersMax) }));
}
