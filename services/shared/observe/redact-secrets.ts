import { apiKeyPrefix } from "../keys/api-key.ts";
import { listenTokenPrefix } from "../keys/listen-token.ts";
import { linkSecretPrefix, sessionTokenPrefix } from "../keys/session-prefixes.ts";
import { signingSecretPrefix } from "../keys/signing-secret.ts";
import { operatorTokenPrefix } from "../operators/operator-token.ts";
import { standardSecretPrefix } from "../webhook/standard-signature.ts";

const hidden = "[hidden]";
const charactersMax = 10_000;
// Longer than any secret.
const overlap = 500;
const prefixes = [
  apiKeyPrefix,
  linkSecretPrefix,
  listenTokenPrefix,
  operatorTokenPrefix,
  sessionTokenPrefix,
  signingSecretPrefix,
  standardSecretPrefix,
];
const credentials = new RegExp(`(?:${prefixes.join("|")})[\\w-]+`, "g");
// Bounded repetitions keep the search linear.
const emailAddress = /[^\s"'`<>()[\]{},;:/@]{1,64}(?:@|%40)[\w-]{1,63}(?:\.[\w-]{1,63})+/g;
const userInfo = /(?<=:\/\/)[^\s/@"]+@/g;

/**
 * Replaces API keys, the tokens of operators, sessions and listeners, sign-in links' secrets, signing secrets, e-mail
 * addresses and the user information of URLs in a text with `[hidden]`, and truncates a text of more than 10,000
 * characters. Intended for errors thrown by libraries; the service itself must not log such values.
 */
export function redactSecrets(text: string): string {
  const isLong = text.length > charactersMax;
  const read = isLong ? text.slice(0, charactersMax + overlap) : text;
  const shown = read.replace(userInfo, `${hidden}@`).replace(credentials, hidden).replace(emailAddress, hidden);
  // The end of a long text may be the beginning of a secret that was cut off, and so was not recognized.
  return isLong ? `${shown.slice(0, Math.min(charactersMax, shown.length - overlap))}…` : shown;
}
