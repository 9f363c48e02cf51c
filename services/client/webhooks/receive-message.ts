import { type RequestHeaders, verifyWebhook } from "./verify-webhook.ts";
import { parseMessage, type WebhookMessage } from "./webhook-message.ts";

/** Options of all webhook handlers. */
export interface WebhookOptions {
  /** The signing secret as displayed, or several secrets during a rotation. */
  readonly secret: string | readonly string[];
  /**
   * Called with each verified message, including test messages. The handler responds after this function has finished:
   * with 204, or with 500 if it failed. The service waits 8 seconds, so save or queue the message here and do slow work
   * later.
   */
  readonly onMessage: (message: WebhookMessage) => void | Promise<void>;
  /**
   * Called with the error that `onMessage` throws, or with a TypeError if a body parser has discarded the raw body.
   * Default: logs the error with `console.error`.
   */
  readonly onError?: (error: unknown) => void;
}

/** Larger bodies are refused with 413. A message is at most about 20 KiB long. */
export const bodyBytesMax = 1024 * 1024;

/**
 * Checks the options when a handler is created: without a secret, the handler would refuse every message.
 *
 * @throws TypeError if every secret is missing or empty, for example because an environment variable is not set
 */
export function requireSecret({ secret }: WebhookOptions): void {
  const hasSecret = [secret].flat().some((text) => Boolean(text));
  if (!hasSecret)
    throw new TypeError("secret is missing: pass the signing secret that the store's settings showed when creating it");
}

/**
 * Verifies the message in a request and passes it to `onMessage`.
 *
 * @param rawBody undefined if the body is larger than {@link bodyBytesMax}
 * @returns the status of the response
 */
export async function receiveMessage(
  { secret, onMessage, onError = reportError }: WebhookOptions,
  rawBody: Uint8Array | undefined,
  headers: RequestHeaders,
): Promise<204 | 400 | 401 | 413 | 500> {
  if (rawBody === undefined || rawBody.length > bodyBytesMax) return 413;
  if (!(await verifyWebhook(rawBody, headers, secret))) return 401;
  const message = parseMessage(rawBody);
  if (message === undefined) return 400;
  try {
    await onMessage(message);
    return 204;
  } catch (error) {
    onError(error);
    return 500;
  }
}

/** Reports that the raw body of a request is gone. @returns the status of the response */
export function refuseParsedBody({ onError = reportError }: WebhookOptions): 500 {
  onError(new TypeError("a body parser has replaced the raw body; mount the webhook handler before the parser"));
  return 500;
}

/** The default `onError` handler. */
function reportError(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: without a logger of the application, this is the only place.
  console.error("a webhook message was not processed", error);
}

/**
 * Reads the body of a request and handles the message in it.
 *
 * @returns the status of the response; 400 if the body is not a message, or is incomplete because the client
 * disconnected
 */
export async function receiveBody(
  options: WebhookOptions,
  chunks: AsyncIterable<Uint8Array>,
  headers: RequestHeaders,
): Promise<number> {
  let rawBody: Uint8Array | undefined;
  try {
    rawBody = await readBody(chunks);
  } catch {
    return 400;
  }
  return receiveMessage(options, rawBody, headers);
}

/** Collects a body. @returns undefined as soon as it exceeds {@link bodyBytesMax} */
async function readBody(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) return undefined;
    parts.push(chunk);
  }
  const body = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}
