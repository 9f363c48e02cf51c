import { bodyBytesMax, receiveMessage, requireSecret, type WebhookOptions } from "./receive-message.ts";
import { bytesOf } from "./verify-webhook.ts";

/** The part of a Fastify instance that the plugin needs. */
export interface FastifyApp {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    contentType: string,
    options: { parseAs: "buffer"; bodyLimit: number },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown;
  post(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): unknown;
}

interface FastifyRequest {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

interface FastifyReply {
  code(status: number): { send(): unknown };
}

/**
 * Creates a Fastify plugin that receives messages on a path: `app.register(fastifyPlugin({ path: "/webhooks", … }))`.
 * The plugin's raw-body parser does not affect the application's other routes.
 */
export function fastifyPlugin({
  path,
  ...options
}: WebhookOptions & { readonly path: string }): (app: FastifyApp) => Promise<void> {
  requireSecret(options);
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: bodyBytesMax }, (_request, body, done) =>
      done(null, body),
    );
    app.post(path, async ({ body, headers }, reply) => {
      return reply.code(await receiveMessage(options, bytesOf(body) ?? new Uint8Array(), headers)).send();
    });
  };
}
