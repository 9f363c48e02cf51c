import { isObject } from "../certificate.ts";
import { sendOnce, unexpectedResponse } from "../transport/get-json.ts";
import { bearerOf, serviceUrl } from "../transport/request-target.ts";

/** Where to listen, and with which token. */
export interface ListenTarget {
  /** URL of the service, such as `https://registry.example`, with or without a path. */
  readonly baseUrl: string | URL;
  /** The listen token, which begins with `crl_`. */
  readonly token: string;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Ends the requests. */
  readonly signal?: AbortSignal | undefined;
}

/** A copy of a webhook message. */
export interface CopiedMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The messages after a position. */
export interface ListenPage {
  readonly messages: readonly CopiedMessage[];
  /** Number of messages after the position that the service no longer keeps. */
  readonly missed: number;
  /** The position of the next request. */
  readonly next: number;
  /** The secret that signs the token's messages. */
  readonly signingSecret: string;
  /** When the token expires: an ISO 8601 timestamp. */
  readonly expiresAt: string;
}

// The service waits for a message for up to 20 seconds.
const timeoutMs = 40_000;

/**
 * Returns the messages after a position, as soon as there is one or after 20 seconds.
 *
 * @param after undefined for the current position
 * @throws RegistryError; ApiError with the code `unauthorized` for a token that is not valid
 */
export async function readMessages(target: ListenTarget, after: number | undefined): Promise<ListenPage> {
  const query = after === undefined ? "" : `?after=${after}`;
  const { body, headers } = await send(target, "GET", query);
  if (isObject(body)) {
    const { messages, missed, next, signing_secret: signingSecret, expires_at: expiresAt } = body;
    const isPage = Array.isArray(messages) && messages.every(isCopy);
    const hasNumbers = typeof missed === "number" && typeof next === "number";
    const hasTexts = typeof signingSecret === "string" && typeof expiresAt === "string";
    if (isPage && hasNumbers && hasTexts) return { messages, missed, next, signingSecret, expiresAt };
  }
  throw unexpectedResponse("messages", String(target.baseUrl), headers);
}

/**
 * Sends a test message about a sample certificate to the listeners of the token.
 *
 * @param event the name of an event, such as `issued`
 * @returns the id of the message, which begins with `tst_`
 * @throws RegistryError; ApiError with the code `bad_request` for an unknown event
 */
export async function sendSample(target: ListenTarget, event: string): Promise<string> {
  const { body, headers } = await send(target, "POST", `?event=${encodeURIComponent(event)}`);
  if (isObject(body) && typeof body.id === "string") return body.id;
  throw unexpectedResponse("messages", String(target.baseUrl), headers);
}

/** @throws TypeError for a base URL or a token that cannot be used */
async function send(
  { baseUrl, token, fetch = globalThis.fetch, signal }: ListenTarget,
  method: "GET" | "POST",
  query: string,
) {
  const apiKey = bearerOf(token, "token", "listen token");
  return sendOnce({ apiKey, fetch, timeoutMs }, serviceUrl(baseUrl, `/v1/listen${query}`), { method, signal });
}

function isCopy(value: unknown): value is CopiedMessage {
  if (!isObject(value) || typeof value.body !== "string" || !isObject(value.headers)) return false;
  return Object.values(value.headers).every((header) => typeof header === "string");
}
