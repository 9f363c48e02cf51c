import { isObject } from "../certificate.ts";
import { ApiError, ConnectionError, RegistryError } from "../errors.ts";
import type { Clock } from "./clock.ts";
import { parseRetryAfter, retryDelayMs } from "./retry-delay.ts";

/** Settings for all requests of a client. */
export interface Transport {
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Time limit of one attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** The latest start of a retry, in milliseconds after the start of the first attempt. */
  readonly maxWaitMs: number;
}

/** A response with status 200 or 202. */
export interface JsonResponse {
  /** Undefined if the body is not JSON. */
  readonly body: unknown;
  readonly headers: Headers;
}

/** A host name that does not exist is usually misspelt, and seldom a fault of DNS that ends by itself. */
const unknownHostAttemptsMax = 3;

/**
 * Sends a GET request. After a temporary failure, waits for the time from {@link retryDelayMs} and tries again, unless
 * the next attempt would start more than `maxWaitMs` after the first. A host name that does not exist is tried only
 * three times.
 *
 * @throws RegistryError the error of the last attempt, or the signal's reason when the caller aborts
 */
export async function getJson(transport: Transport, url: URL, signal?: AbortSignal): Promise<JsonResponse> {
  const { clock, maxWaitMs } = transport;
  const startedAt = clock.now();
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await sendOnce(transport, url, { signal });
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      if (attempt >= unknownHostAttemptsMax && isUnknownHost(error)) throw error;
      const waitMs = retryDelayMs(error, attempt);
      const waitedMs = clock.now() - startedAt;
      if (waitMs === undefined || waitedMs + waitMs > maxWaitMs) throw error;
      await clock.sleep(waitMs, signal);
    }
  }
}

/**
 * Sends one request without a body.
 *
 * @throws RegistryError, or the signal's reason when the caller aborts
 */
export async function sendOnce(
  transport: Omit<Transport, "clock" | "maxWaitMs">,
  url: URL,
  { method = "GET", signal }: { readonly method?: "GET" | "POST"; readonly signal?: AbortSignal | undefined } = {},
): Promise<JsonResponse> {
  const { apiKey, timeoutMs } = transport;
  // Called without `this`: some runtimes refuse `fetch` as a method of another object.
  const { fetch } = transport;
  const timeout = AbortSignal.timeout(timeoutMs);
  const headers = { accept: "application/json", authorization: `Bearer ${apiKey}` };
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method,
      headers,
      // Following a redirect would send the key to another host, or hide that the base URL is wrong.
      redirect: "manual",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    text = await response.text();
  } catch (cause) {
    signal?.throwIfAborted();
    const lost = isUnknownHost(cause) ? "the host name does not exist, check the base URL" : "the connection failed";
    const message = timeout.aborted ? `no complete response within ${timeoutMs} ms` : lost;
    throw new ConnectionError(`${message}: ${url.origin}`, { cause });
  }
  if (response.status !== 200 && response.status !== 202) throw errorOf(response, text);
  return { body: parsed(text), headers: response.headers };
}

/** Returns whether an error, or one that caused it, is that of a host name that does not exist. */
function isUnknownHost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && error.code === "ENOTFOUND") || isUnknownHost(error.cause);
}

/** Creates the error for a successful response that is not what was expected. @param from the URL of the service */
export function unexpectedResponse(expected: string, from: string, headers: Headers): ApiError {
  return new ApiError({
    status: 200,
    code: "unexpected_response",
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfterMs: undefined,
    message: `${from} did not respond with ${expected}; check the base URL`,
  });
}

function errorOf({ status, statusText, headers }: Response, text: string): ApiError {
  const body = parsed(text);
  const isOurs = isObject(body) && typeof body.error === "string" && typeof body.message === "string";
  return new ApiError({
    status,
    code: isOurs ? String(body.error) : "unexpected_response",
    message: isOurs ? String(body.message) : `the server responded with ${status} ${statusText}`.trim(),
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfterMs: parseRetryAfter(headers.get("retry-after"), Date.now()),
  });
}

/** Parses JSON; returns undefined for invalid JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
