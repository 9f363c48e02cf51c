import { receiveBody, receiveMessage, refuseParsedBody, type WebhookOptions } from "./receive-message.ts";
import { bytesOf, type RequestHeaders } from "./verify-webhook.ts";

/** The request of a Node server. */
export interface RequestStream extends AsyncIterable<Uint8Array> {
  /** Whether a body parser has read it. */
  readonly readableDidRead?: boolean | undefined;
}

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
  stream: RequestStream,
  { rawBody, body }: ParsedBody,
): Promise<number> {
  const kept = bytesOf(rawBody) ?? bytesOf(body);
  if (kept !== undefined) return receiveMessage(options, kept, headers);
  // Some parsers set an empty body on requests that they do not read.
  if (stream.readableDidRead ?? body !== undefined) return refuseParsedBody(options);
  return receiveBody(options, stream, headers);
}
