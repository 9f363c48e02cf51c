import { randomBytes } from "node:crypto";

/** Returns an idempotency key for a form, so that a form that is sent twice takes effect once. */
export function newFormNonce(): string {
  return randomBytes(16).toString("base64url");
}
