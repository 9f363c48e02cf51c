import {
  receiveBody,
  receiveMessage,
  refuseParsedBody,
  requireSecret,
  type WebhookOptions,
} from "./receive-message.ts";

/**
 * Creates a handler for servers that map a `Request` to a `Response`: Deno, Bun, edge runtimes, Hono, Next.js,
 * SvelteKit.
 */
export function fetchHandler(options: WebhookOptions): (request: Request) => Promise<Response> {
  requireSecret(options);
  return async (request) => {
    if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } });
    if (request.bodyUsed) return new Response(null, { status: refuseParsedBody(options) });
    const { body, headers } = request;
    const received =
      body === null
        ? receiveMessage(options, new Uint8Array(), headers)
        : receiveBody(options, chunksOf(body), headers);
    return new Response(null, { status: await received });
  };
}

// Not every runtime can iterate over a stream.
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  try {
    for (let chunk = await reader.read(); chunk.value !== undefined; chunk = await reader.read()) yield chunk.value;
  } finally {
    // Ends the request early when the body is too large.
    reader.cancel().catch(() => undefined);
  }
}
