import { ServiceError } from "#shared/errors/service-error.ts";
import { parseApiKey } from "#shared/keys/api-key.ts";

const remedy = "Create a new key in the store's settings and send it as 'Authorization: Bearer <key>'.";

/**
 * Reads the API key from the `Authorization` headers of a request (INTERFACE.md §5, RFC 6750 §2.1): exactly
 * one header with exactly one token. The scheme's case does not matter. No look-up takes place.
 *
 * @throws ServiceError unauthorized when there is no key or what is there cannot be one
 */
export function bearerKey(headers: readonly string[] | undefined): string {
  const [header, ...others] = headers ?? [];
  if (header === undefined) throw new ServiceError("unauthorized", `The API key is missing. ${remedy}`);
  const token = /^bearer +([^ ]+)$/i.exec(header)?.[1];
  if (token === undefined || others.length > 0) {
    throw new ServiceError("unauthorized", `The Authorization header holds no API key. ${remedy}`);
  }
  const key = parseApiKey(token);
  if (key === undefined) throw unknownKey();
  return key;
}

/** The refusal of a key that is none, or none any longer. */
export function unknownKey(): ServiceError {
  return new ServiceError("unauthorized", `The API key is not valid, or no longer valid. ${remedy}`);
}
