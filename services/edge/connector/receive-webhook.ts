import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { badRequest, ServiceError } from "#shared/errors/service-error.ts";
import type { EdgeContext, EdgeMiddleware } from "../http/edge-context.ts";
import { jsonType } from "../http/error-document.ts";
import type { ConnectorClient } from "../registry-client/connector-client.ts";
import { type MessageContent, type PlatformAdapter, UnreadableBody } from "./platform-adapter.ts";
import { isSignedBy } from "./verify-hmac.ts";

/** The possible results of handling a message, for the metrics. */
export const webhookOutcomes = ["stored", "duplicate", "ignored", "unreadable", "wrong_signature", "failed"] as const;

/** One of {@link webhookOutcomes}. */
export type WebhookOutcome = (typeof webhookOutcomes)[number];

interface ReceiveWebhookDeps {
  readonly adapter: PlatformAdapter;
  /** The secrets of the platform's app: two during a rotation. */
  readonly secrets: readonly Uint8Array[];
  readonly connector: ConnectorClient;
  readonly count: (outcome: WebhookOutcome) => void;
}

/**
 * Creates the handler of one platform's messages. It responds with 200 once the registry has accepted the message; a
 * message with a topic that the connector does not use gets 200 at once. A wrong or missing signature gets 401; a
 * missing topic, store or message id gets 400. A message that needs a store gets 404 if the registry does not know the
 * store, and any message that the connector uses gets 503 while the registry is unavailable; the platform then repeats
 * the message.
 */
export function receiveWebhook(deps: ReceiveWebhookDeps): EdgeMiddleware {
  const { adapter, count } = deps;
  return async (ctx) => {
    try {
      const outcome = await receive(ctx, deps);
      count(outcome);
      ctx.status = 200;
      ctx.set("Content-Type", jsonType);
      ctx.body = JSON.stringify({ received: true });
    } catch (error) {
      count(error instanceof ServiceError && error.code === "unauthorized" ? "wrong_signature" : "failed");
      throw error;
    }
  };

  async function receive(ctx: EdgeContext, { secrets, connector }: ReceiveWebhookDeps): Promise<WebhookOutcome> {
    const body = await ctx.state.body;
    if (body === undefined || !isSignedBy(secrets, body, headerOf(ctx, adapter.headers.signature) ?? ""))
      throw new ServiceError(
        "unauthorized",
        "The signature is missing, or does not match the body and the app's secret.",
      );
    const topic = requiredHeader(ctx, adapter.headers.topic);
    const content = translate(topic, body);
    if (content === undefined) return "ignored";
    const triggeredAt = new Date(headerOf(ctx, adapter.headers.triggeredAt) ?? Number.NaN);
    const { isDuplicate } = await connector.receiveMessage({
      shop: requiredHeader(ctx, adapter.headers.shop).toLowerCase(),
      messageId: requiredHeader(ctx, adapter.headers.messageId),
      topic,
      content,
      ...(!Number.isNaN(triggeredAt.getTime()) && { triggeredAt: timestampFromDate(triggeredAt) }),
    });
    if (isDuplicate) return "duplicate";
    return content.case === "unreadable" ? "unreadable" : "stored";
  }

  // A message that cannot be translated is stored instead of refused: the platform would repeat a refused message in
  // vain, and operators should see the fault.
  function translate(topic: string, body: Buffer): MessageContent | undefined {
    try {
      return adapter.translate(topic, body.toString("utf8"));
    } catch (error) {
      if (!(error instanceof UnreadableBody)) throw error;
      return { case: "unreadable", value: { problem: error.message } };
    }
  }
}

function requiredHeader(ctx: EdgeContext, name: string): string {
  const value = headerOf(ctx, name);
  if (value === undefined) throw badRequest(name, "is missing");
  return value;
}

function headerOf(ctx: EdgeContext, name: string): string | undefined {
  const value = ctx.headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
