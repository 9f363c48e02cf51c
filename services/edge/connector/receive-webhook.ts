import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { badRequest, ServiceError } from "#shared/errors/service-error.ts";
import type { EdgeContext, EdgeMiddleware } from "../http/edge-context.ts";
import { jsonType } from "../http/error-document.ts";
import type { NetworkBuckets } from "../limits/network-buckets.ts";
import type { ConnectorClient } from "../registry-client/connector-client.ts";
import { type JsonObject, parseObject } from "./parse-object.ts";
import { type PlatformAdapter, type Translation, UnreadableBody } from "./platform-adapter.ts";
import { isSignedBy } from "./verify-hmac.ts";

/**
 * The possible results of handling a message, for the metrics. `refused`: the signature is correct, but the body or the
 * headers are not those of a message. `dropped`: the message cannot be translated, and too many such messages are
 * stored. `limited`: the store has sent too many messages.
 */
export const webhookOutcomes = [
  "stored",
  "duplicate",
  "ignored",
  "unreadable",
  "dropped",
  "wrong_signature",
  "refused",
  "limited",
  "failed",
] as const;

/** One of {@link webhookOutcomes}. */
export type WebhookOutcome = (typeof webhookOutcomes)[number];

interface ReceiveWebhookDeps {
  readonly adapter: PlatformAdapter;
  /** The secrets of the platform's app: two during a rotation. */
  readonly secrets: readonly Uint8Array[];
  readonly connector: ConnectorClient;
  /** Limits the number of new messages by store. */
  readonly quota: Pick<NetworkBuckets, "take" | "giveBack">;
  readonly count: (outcome: WebhookOutcome) => void;
}

/**
 * Creates the handler of one platform's messages. It responds with 200 once the registry has accepted the message; a
 * message with a topic that the connector does not use gets 200 at once. A wrong or missing signature gets 401. A body
 * that is not a JSON object or names another store than the header, and a missing topic, store or message id, get 400.
 * A message that needs a store gets 404 if the registry does not know the store; 429, if the store has sent too many.
 * Any message that the connector uses gets 503 while the registry is unavailable; the platform then repeats it.
 */
export function receiveWebhook(deps: ReceiveWebhookDeps): EdgeMiddleware {
  const { adapter, count } = deps;
  return async (ctx) => {
    const body = await complete(ctx.state.body);
    try {
      const outcome = await receive(ctx, body, deps);
      count(outcome);
      ctx.status = 200;
      ctx.set("Content-Type", jsonType);
      ctx.body = JSON.stringify({ received: true });
    } catch (error) {
      count(outcomeOf(error));
      throw error;
    }
  };

  async function complete(body: Promise<Buffer> | undefined): Promise<Buffer> {
    try {
      return (await body) ?? Buffer.alloc(0);
    } catch (error) {
      count("failed");
      throw error;
    }
  }

  async function receive(
    ctx: EdgeContext,
    body: Buffer,
    { secrets, connector, quota }: ReceiveWebhookDeps,
  ): Promise<WebhookOutcome> {
    if (!isSignedBy(secrets, body, headerOf(ctx, adapter.headers.signature) ?? ""))
      throw new ServiceError(
        "unauthorized",
        "The signature is missing, or does not match the body and the app's secret.",
      );
    const message = messageOf(ctx, parseObject(body.toString("utf8")));
    if (message === undefined) return "ignored";
    const { isDuplicate, isDropped } = await withinQuota(ctx, quota, message.shop, () =>
      connector.receiveMessage(message),
    );
    if (isDuplicate) return "duplicate";
    if (isDropped) return "dropped";
    return message.content.case === "unreadable" ? "unreadable" : "stored";
  }

  /** Returns the message for the registry; undefined if its topic is not used. */
  function messageOf(ctx: EdgeContext, payload: JsonObject) {
    const { headers } = adapter;
    const topic = requiredHeader(ctx, headers.topic);
    const shop = requiredHeader(ctx, headers.shop).toLowerCase();
    // Only the body is signed: without this check, a message of one store could be sent again for another store.
    if ((adapter.shopOf(payload) ?? shop) !== shop) throw badRequest("body", "names another store than the header");
    const translation = translate(topic, payload);
    if (translation === undefined) return undefined;
    const { content, createdAt } = translation;
    const messageId = requiredHeader(ctx, headers.messageId);
    const triggeredAt = createdAt ?? new Date(headerOf(ctx, headers.triggeredAt) ?? Number.NaN);
    const time = Number.isNaN(triggeredAt.getTime()) ? {} : { triggeredAt: timestampFromDate(triggeredAt) };
    return { shop, messageId, topic, content, ...time };
  }

  // A message that cannot be translated is stored instead of refused: the platform would repeat a refused message in
  // vain, and operators should see the fault.
  function translate(topic: string, payload: JsonObject): Translation | undefined {
    try {
      return adapter.translate(topic, payload);
    } catch (error) {
      if (!(error instanceof UnreadableBody)) throw error;
      return { content: { case: "unreadable", value: { problem: error.message } } };
    }
  }
}

/** Sends a message of a store that has not used up its quota. Only new messages count. */
async function withinQuota(
  ctx: EdgeContext,
  quota: ReceiveWebhookDeps["quota"],
  shop: string,
  send: () => ReturnType<ConnectorClient["receiveMessage"]>,
) {
  const waitSeconds = quota.take([shop]);
  if (waitSeconds > 0) {
    ctx.set("Retry-After", String(waitSeconds));
    throw new ServiceError("rate_limited", "The store has sent too many messages. Send this message again later.");
  }
  let isNew = false;
  try {
    const response = await send();
    isNew = !response.isDuplicate && !response.isDropped;
    return response;
  } finally {
    if (!isNew) quota.giveBack([shop]);
  }
}

function outcomeOf(error: unknown): WebhookOutcome {
  const code = error instanceof ServiceError ? error.code : "internal";
  if (code === "unauthorized") return "wrong_signature";
  if (code === "rate_limited") return "limited";
  return code === "bad_request" ? "refused" : "failed";
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
