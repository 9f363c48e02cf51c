import { isSame } from "#shared/keys/is-same.ts";
import { signatureOf, signaturePrefix } from "#shared/webhook/signature.ts";
import { bodyVariants, secretVariants } from "./likely-mistakes.ts";

interface SignedMessage {
  /** Contents of the secret file. One line break at the end is not part of the secret. */
  readonly secretFile: Buffer;
  readonly body: Buffer;
  readonly signature: string;
}

const digestDigits = 64;

/**
 * Verifies a signature as a receiver must (INTERFACE.md §5), with a constant-time comparison.
 *
 * @returns `valid`, or sentences that explain why the signature is invalid and, if recognized, the likely mistake
 */
export function verifySignature({ secretFile, body, signature }: SignedMessage): "valid" | readonly string[] {
  const secret = withoutLineBreak(secretFile);
  if (secret.length === 0) return ["The secret file contains no secret."];
  if (isSame(signature, signatureOf(secret, body))) return "valid";
  const form = formProblems(signature);
  const digest = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/i.exec(signature)?.[0].toLowerCase();
  if (digest === undefined) return form;
  const mistakes = findMistakes(signaturePrefix + digest, secretFile, secret, body);
  return [...form, ...(mistakes ?? [unexplained])];
}

const unexplained =
  "The digest does not match. Either the body differs from the signed body, or the signature was made with another " +
  "secret. During a rotation, X-Service-Signature-Next is made with the next secret, and " +
  "X-Service-Signature-Previous with the previous secret.";

function formProblems(signature: string): string[] {
  const value = signature.trim();
  const problems: string[] = [];
  if (value !== signature) problems.push("The signature has white space around it.");
  if (/^x-service-signature/i.test(value)) return [...problems, "Give only the value of the header, without its name."];
  if (!value.startsWith(signaturePrefix)) problems.push(`The signature does not begin with ${signaturePrefix}.`);
  const digits = value.slice(value.indexOf("=") + 1);
  if (/[A-F]/.test(digits)) problems.push("The digest has capital letters; it must be in lower case.");
  if (!/^[0-9a-f]*$/i.test(digits)) problems.push("The digest is not hexadecimal.");
  else if (digits.length !== digestDigits)
    problems.push(`The digest has ${digits.length} digits instead of ${digestDigits}.`);
  return problems;
}

/** Returns the mistakes that explain the digest: [] if it is correct, undefined if no known mistake explains it. */
function findMistakes(signature: string, secretFile: Buffer, secret: Buffer, body: Buffer): string[] | undefined {
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
