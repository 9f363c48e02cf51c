import { requireSecret, type WebhookOptions } from "./receive-message.ts";
import { type RequestStream, receiveStream } from "./receive-stream.ts";

/** The part of Koa's context that a handler needs. */
export interface KoaContext {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly req: RequestStream;
  /** Body parsers set `body` and `rawBody` on this object. */
  readonly request: object;
  status: number;
  set(name: string, value: string): void;
}

/** Creates Koa middleware. It handles every request that reaches it, so mount it on the webhook's path only. */
export function koaHandler(options: WebhookOptions): (ctx: KoaContext) => Promise<void> {
  requireSecret(options);
  return async (ctx) => {
    if (ctx.method !== "POST") {
      ctx.set("Allow", "POST");
      ctx.status = 405;
      return;
    }
    ctx.status = await receiveStream(options, ctx.headers, ctx.req, ctx.request);
    if (ctx.status === 413) ctx.set("Connection", "close");
  };
}
