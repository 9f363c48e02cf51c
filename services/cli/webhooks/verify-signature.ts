import { timingSafeEqual } from "node:crypto";
import { signatureOf, signaturePrefix } from "#shared/webhook/signature.ts";
import { bodyVariants, secretVariants } from "./likely-mistakes.ts";

/** A message as a receiver got it, and what it knows. */
export interface SignedMessage {
  /** What the secret's file holds; one line break at its end does not belong to the secret. */
  readonly secretFile: Buffer;
  /** The raw body. */
  readonly body: Buffer;
  /** The value of one of the signature headers. */
  readonly signature: string;
}

const digestDigits = 64;

/**
 * Judges a signature as a receiver must (INTERFACE.md §5), in constant time.
 *
 * @returns `valid`, or what is wrong, in sentences, with the likely mistake where one explains it
 */
export function verifySignature({ secretFile, body, signature }: SignedMessage): "valid" | readonly string[] {
  const secret = withoutLineBreak(secretFile);
  if (secret.length === 0) return ["The secret's file is empty."];
  if (isSame(signature, signatureOf(secret, body))) return "valid";
  const form = formProblems(signature);
  const digest = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/i.exec(signature)?.[0].toLowerCase();
  if (digest === undefined) return form;
  const mistakes = mistakesBehind(signaturePrefix + digest, secretFile, secret, body);
  return [...form, ...(mistakes ?? [otherDigest])];
}

const otherDigest =
  "The digest is another one. Either the body is not, byte for byte, the one that was signed, or the secret is another " +
  "one: while a secret is being replaced, X-Service-Signature-Next or -Previous is by the other secret.";

function formProblems(signature: string): string[] {
  const value = signature.trim();
  const problems: string[] = [];
  if (value !== signature) problems.push("The signature has white space around it.");
  if (/^x-service-signature/i.test(value))
    return [...problems, "Give the header's value alone, without its name."];
  if (!value.startsWith(signaturePrefix))
    problems.push(`The signature does not begin with ${signaturePrefix}.`);
  const digits = value.slice(value.indexOf("=") + 1);
  if (/[A-F]/.test(digits)) problems.push("The digest has capitals; it is written in lower case.");
  if (!/^[0-9a-f]*$/i.test(digits)) problems.push("The digest is not hexadecimal.");
  else if (digits.length !== digestDigits)
    problems.push(`The digest has ${digits.length} digits instead of ${digestDigits}.`);
  return problems;
}

/** The mistakes that make this signature right: none where only its form is wrong, undefined where no known one does. */
function mistakesBehind(
  signature: string,
  secretFile: Buffer,
  secret: Buffer,
  body: Buffer,
): string[] | undefined {
  for (const [secretMistake, usedSecret] of [["", secret] as const, ...secretVariants(secretFile, secret)])
    for (const [bodyMistake, usedBody] of [["", body] as const, ...bodyVariants(body)])
      if (isSame(signature, signatureOf(usedSecret, usedBody)))
        return [secretMistake, bodyMistake].filter((mistake) => mistake !== "");
  return undefined;
}

function withoutLineBreak(file: Buffer): Buffer {
  const text = file.toString("latin1");
  return file.subarray(0, text.replace(/\r?\n$/, "").length);
}

function isSame(given: string, expected: string): boolean {
  const [one, another] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === another.length && timingSafeEqual(one, another);
}
