import { createHmac } from "node:crypto";
import { retryUntil } from "#shared/retry/retry-until.ts";
import { steadyClock } from "#shared/time/clock.ts";
import type { RecordedMessage } from "./recorded-messages.ts";

/** The receiver of replayed messages, and the secret that signs them. */
export interface ReplayTarget {
  /** URL of the connector. */
  readonly url: string;
  /** The secret of the platform's app. */
  readonly secret: Uint8Array;
  /** Domain of the store; used for messages that do not specify a store. */
  readonly shop: string;
}

const timeLimitMs = 10_000;
const retryPolicy = {
  isFinal: () => true,
  isFailure: isRepeated,
  attemptsMax: 5,
  pauseMs: { first: 500, max: 5_000 },
  clock: steadyClock,
};

/** Sends a message; retries up to four times, with backoff, if a failure may be temporary. @returns the last status */
export function sendUntilTaken(target: ReplayTarget, message: RecordedMessage): Promise<number> {
  return retryUntil(() => sendMessage(target, message), retryPolicy);
}

/** Signs and sends a message as the platform does. @returns the status of the response; 0 if there was none */
export async function sendMessage({ url, secret, shop }: ReplayTarget, message: RecordedMessage): Promise<number> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: signedHeaders(secret, { ...message, shop: message.shop ?? shop }),
      body: message.body,
      signal: AbortSignal.timeout(timeLimitMs),
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    // fetch throws a TypeError for a connection that was refused or lost.
    if (error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError")) return 0;
    throw error;
  }
}

/** Returns the headers with which the platform sends a message. */
export function signedHeaders(
  secret: Uint8Array,
  { topic, shop, webhookId, triggeredAt, body }: Omit<RecordedMessage, "line"> & { readonly shop: string },
): Record<string, string> {
  return {
    "Content-Type": "application/json",
    "X-Shopify-Topic": topic,
    "X-Shopify-Shop-Domain": shop,
    "X-Shopify-Webhook-Id": webhookId,
    "X-Shopify-Hmac-Sha256": createHmac("sha256", secret).update(body).digest("base64"),
    ...(triggeredAt !== undefined && { "X-Shopify-Triggered-At": triggeredAt }),
  };
}

/** Returns whether to send the message again, because its failure may be temporary. */
function isRepeated(status: number): boolean {
  return status === 0 || status === 404 || status === 429 || status >= 500;
}
