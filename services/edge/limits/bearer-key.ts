import { ServiceError } from "#shared/errors/service-error.ts";
import { parseApiKey } from "#shared/keys/api-key.ts";

const remedy = "Send 'Authorization: Bearer <key>' with a key from the store's settings.";

/**
 * Parses the API key in a request's `Authorization` header (INTERFACE.md §5, RFC 6750 §2.1). Requires exactly one
 * header with exactly one token; the scheme is case-insensitive. Does not look the key up.
 *
 * @throws ServiceError `unauthorized` for a missing or malformed key
 */
export function bearerKey(headers: readonly string[] | undefined): string {
  const [header, ...others] = headers ?? [];
  if (header === undefined) throw new ServiceError("unauthorized", `The request has no API key. ${remedy}`);
  const token = /^bearer +([^ ]+)$/i.exec(header)?.[1];
  if (token === undefined || others.length > 0) {
    throw new ServiceError("unauthorized", `A request must have one Authorization header with one API key. ${remedy}`);
  }
  const key = parseApiKey(token);
  if (key === undefined) throw unknownKey;
  return key;
}

/** The error for a key that is malformed, does not exist or was revoked. */
export const unknownKey = new ServiceError(
  "unauthorized",
  "The API key is invalid or revoked. Create a new key in the store's settings and send it as 'Authorization: Bearer <key>'.",
);
