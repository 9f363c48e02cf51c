import { createHmac } from "node:crypto";
import { ServiceError } from "#shared/errors/service-error.ts";
import { isSame } from "#shared/keys/is-same.ts";
import type { TokenBuckets } from "#shared/limits/token-buckets.ts";
import type { EdgeContext, EdgeMiddleware } from "../http/edge-context.ts";
import { jsonType } from "../http/error-document.ts";
import { refuseIf } from "../limits/refuse-if.ts";
import type { ConnectorClient } from "../registry-client/connector-client.ts";
import type { PlatformAdapter } from "./platform-adapter.ts";
import { readMessageInTurn } from "./read-message-in-turn.ts";

/**
 * The possible results of handling a message, for the metrics. `incomplete`: the body was not received in full, or
 * there was no room for it. `refused`: the signature is correct, but the body or the headers are not those of a
 * message. `unknown_store`: no store has the domain, and the message needs one. `ignored`: the connector does not use
 * the topic, or no store has the domain. `dropped`: the message cannot be translated, and too many such messages are
 * stored. `limited`: the store has sent too many messages.
 *
 * Alerts page for `failed`, so nothing that a sender without the secret can do may count as `failed`.
 */
export const webhookOutcomes = [
  "stored",
  "duplicate",
  "ignored",
  "unreadable",
  "dropped",
  "incomplete",
  "wrong_signature",
  "refused",
  "unknown_store",
  "limited",
  "failed",
] as const;

type WebhookOutcome = (typeof webhookOutcomes)[number];

interface ReceiveWebhookDeps {
  readonly adapter: PlatformAdapter;
  /** The secrets of the platform's app: two during a rotation. */
  readonly secrets: readonly Uint8Array[];
  readonly connector: ConnectorClient;
  /** Limits the number of new messages by store. */
  readonly quota: Pick<TokenBuckets, "take" | "giveBack">;
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
      count("incomplete");
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
    const headers = Object.fromEntries(
      Object.entries(adapter.headers).map(([name, header]) => [name, headerOf(ctx, header)]),
    );
    const message = await readMessageInTurn(adapter, { headers, body });
    if (message === undefined) return "ignored";
    const { isDuplicate, isDropped, hasNoStore } = await withinQuota(ctx, quota, message.shop, () =>
      connector.receiveMessage(message),
    );
    if (!hasNoStore) ctx.state.shop = message.shop;
    if (isDropped) return "dropped";
    if (hasNoStore) return "ignored";
    if (message.content.case === "unreadable" && !isDuplicate) return "unreadable";
    ctx.state.messageShop = message.shop;
    return isDuplicate ? "duplicate" : "stored";
  }
}

/** Sends a message of a store that has not used up its quota. Only new messages count. */
async function withinQuota(
  { state }: EdgeContext,
  quota: ReceiveWebhookDeps["quota"],
  shop: string,
  send: () => ReturnType<ConnectorClient["receiveMessage"]>,
) {
  const waitSeconds = quota.take([shop]);
  // Only stored messages use up the quota, so the store exists.
  if (waitSeconds > 0) state.shop = shop;
  refuseIf(waitSeconds, "The store has sent too many messages. Send this message again later.");
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
  if (code === "not_found") return "unknown_store";
  return code === "bad_request" ? "refused" : "failed";
}

function headerOf(ctx: EdgeContext, name: string): string | undefined {
  const value = ctx.headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * Returns whether a signature is the base64 HMAC-SHA256 of a body under one of the secrets. Compares in constant time.
 *
 * @param secrets several while the platform's secret is being replaced
 */
export function isSignedBy(secrets: readonly Uint8Array[], body: Uint8Array, signature: string): boolean {
  const given = Buffer.from(signature, "base64");
  // Accepts only the canonical encoding: `Buffer.from` ignores characters that are not base64.
  if (given.toString("base64") !== signature) return false;
  const matches = secrets.map((secret) => isSame(given, createHmac("sha256", secret).update(body).digest()));
  return matches.includes(true);
}
