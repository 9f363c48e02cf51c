import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";

// Stored as text, not as codes: the public `revokedReason` is a string, which merchants can also write themselves.
const defaultReasons = {
  Refund: "refund",
  "Order cancelled": "orderCancelled",
  "Revoked by the store": "revokedByTheStore",
} as const;

/** Returns the reason for a revocation: translated if it is a default reason, otherwise as it is stored. */
export function revocationReason(reason: string, language: Language): string {
  const known = Object.entries(defaultReasons).find(([english]) => english === reason)?.[1];
  return known === undefined ? reason : textsFor(language)(`pages.revocationReasons.${known}`);
}
