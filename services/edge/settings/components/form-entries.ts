import { createHash } from "node:crypto";

/** Name of the hidden field with which a merchant confirms the consequence of a form. */
export const confirmedName = "confirmed";

/** Returns the entries without those that only prove where the form was served, and without a confirmation. */
export function withoutProof(entries: URLSearchParams): URLSearchParams {
  return new URLSearchParams(
    [...entries].filter(([name]) => !["token", "nonce", "shop", confirmedName].includes(name)),
  );
}

/**
 * Returns the value of the field `confirmed` that confirms exactly these entries: what the merchant changes after the
 * question has been asked, the question did not name.
 */
export function confirmationOf(entries: URLSearchParams): string {
  // Handlers trim the values, as do browsers in some types of inputs.
  const confirmed = [...withoutProof(entries)].map(([name, value]) => [name, value.toWellFormed().trim()]);
  return createHash("sha256").update(JSON.stringify(confirmed)).digest("base64url");
}

/** Returns the id of a form's field, to which the list of errors links. @param scope see SettingsForm */
export function fieldId(action: string, scope: string, field: string): string {
  return [action, scope, field].filter((part) => part !== "").join("-");
}
