import { receiveBody, receiveMessage, refuseParsedBody, type WebhookOptions } from "./receive-message.ts";
import type { RequestHeaders } from "./verify-webhook.ts";

/** The properties that body parsers add to a request. */
export interface ParsedBody {
  /** The raw body, as bytes or text, if the parser keeps it. */
  readonly rawBody?: unknown;
  /** Bytes or text if it was read by a raw-body parser; any other value cannot be verified. */
  readonly body?: unknown;
}

/**
 * Handles the request of a Node server, whether or not a body parser has read it.
 *
 * @returns the status of the response; 500 if `onMessage` fails or a parser has discarded the raw body
 */
export async function receiveStream(
  options: WebhookOptions,
  headers: RequestHeaders,
  stream: AsyncIterable<Uint8Array>,
  { rawBody, body }: ParsedBody,
): Promise<number> {
  const kept = bytesOf(rawBody) ?? bytesOf(body);
  if (kept !== undefined) return receiveMessage(options, kept, headers);
  if (body !== undefined) return refuseParsedBody(options);
  return receiveBody(options, stream, headers);
}

function bytesOf(body: unknown): Uint8Array | undefined {
  if (typeof body === "string") return new TextEncoder().encode(body);
  return body instanceof Uint8Array ? body : undefined;
}
