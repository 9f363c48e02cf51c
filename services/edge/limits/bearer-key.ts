import { ServiceError } from "#shared/errors/service-error.ts";
import { apiKeyPrefix, parseApiKey } from "#shared/keys/api-key.ts";
import { listenTokenPrefix, parseListenToken } from "#shared/keys/listen-token.ts";
import { signingSecretPrefix } from "#shared/keys/signing-secret.ts";

/** A kind of bearer token: how it is recognized, and the errors for one that is missing or wrong. */
export interface BearerKind {
  readonly prefix: string;
  /** Checks the format, without a lookup. @returns undefined for a text that cannot be a token of this kind */
  readonly parse: (text: string) => string | undefined;
  /** The kind in a message. */
  readonly named: string;
  readonly remedy: string;
  /** The error for a token that is malformed, does not exist or was revoked. */
  readonly unknown: ServiceError;
  /** The message for a client that sent too many unknown tokens. */
  readonly tooMany: string;
}

/** The error for a key that is malformed, does not exist or was revoked. */
export const unknownKey = new ServiceError(
  "unauthorized",
  "The API key is invalid or revoked. Create a new key in the store's settings and send it as 'Authorization: Bearer <key>'.",
);

/** The API keys of the list and of one certificate. */
export const apiKeys: BearerKind = {
  prefix: apiKeyPrefix,
  parse: parseApiKey,
  named: "API key",
  remedy: "Send 'Authorization: Bearer <key>' with a key from the store's settings.",
  unknown: unknownKey,
  tooMany:
    "Too many requests with invalid API keys came from your network. Wait for the number of seconds in Retry-After, then retry.",
};

/** The tokens of developers who listen. */
export const listenTokens: BearerKind = {
  prefix: listenTokenPrefix,
  parse: parseListenToken,
  named: "listen token",
  remedy: "Send 'Authorization: Bearer <token>' with a listen token from the store's settings.",
  unknown: new ServiceError(
    "unauthorized",
    "The listen token is invalid, expired or revoked. Create a new one in the store's settings, under Webhook.",
  ),
  tooMany:
    "Too many requests with invalid listen tokens or API keys came from your network. Wait for the number of seconds in Retry-After, then retry.",
};

/** What a text with each prefix is. */
const namesByPrefix = [
  [apiKeyPrefix, "an API key"],
  [listenTokenPrefix, "a listen token"],
  [signingSecretPrefix, "a webhook's signing secret"],
] as const;

/**
 * Parses the token in a request's `Authorization` header (INTERFACE.md §5, RFC 6750 §2.1). Requires exactly one header
 * with exactly one token; the scheme is case-insensitive. Does not look the token up.
 *
 * @param kind default: an API key
 * @throws ServiceError `unauthorized` for a missing or malformed token
 */
export function bearerKey(headers: readonly string[] | undefined, kind: BearerKind = apiKeys): string {
  const [header, ...others] = headers ?? [];
  const { named, prefix, remedy } = kind;
  if (header === undefined) throw new ServiceError("unauthorized", `The request has no ${named}. ${remedy}`);
  const token = /^bearer +([^ ]+)$/i.exec(header)?.[1];
  if (token === undefined || others.length > 0)
    throw new ServiceError("unauthorized", `A request must have one Authorization header with one ${named}. ${remedy}`);
  const key = kind.parse(token);
  if (key !== undefined) return key;
  const [, sent] = namesByPrefix.find(([other]) => other !== prefix && token.startsWith(other)) ?? [];
  if (sent === undefined) throw kind.unknown;
  throw new ServiceError("unauthorized", `The request has ${sent} instead of the ${named}. ${remedy}`);
}
