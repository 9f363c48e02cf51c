import { createHmac, randomUUID } from "node:crypto";
import { type ReplayTarget, sendMessage } from "../../../../services/cli/commands/storefront/send-message.ts";

/** A webhook that the demo shop sends in place of the storefront platform. */
export interface SentMessage {
  /** The same each time the webhook is sent. */
  readonly webhookId: string;
  readonly topic: string;
  readonly body: string;
  /** Value of `X-Shopify-Hmac-Sha256`. */
  readonly signature: string;
  readonly sentAt: Date;
  /** Number of attempts that have ended. */
  readonly times: number;
  /** Status of the response to the latest attempt, 0 without a response; undefined until an attempt has ended. */
  readonly status?: number;
  /** Duration of the latest attempt, in milliseconds; undefined until an attempt has ended. */
  readonly answeredMs?: number;
}

/** Composes and signs a webhook as the storefront platform does. */
export function composeMessage(topic: string, payload: object, secret: Uint8Array, sentAt: Date): SentMessage {
  const body = JSON.stringify(payload);
  const signature = createHmac("sha256", secret).update(body).digest("base64");
  return { webhookId: randomUUID(), topic, body, signature, sentAt, times: 0 };
}

/** Sends a webhook to the connector. @returns the message with the outcome; does not count the attempt */
export async function deliver(target: ReplayTarget, message: SentMessage): Promise<SentMessage> {
  const { topic, body, webhookId, sentAt } = message;
  const startedAt = performance.now();
  const triggeredAt = sentAt.toISOString();
  const status = await sendMessage(target, { line: 1, topic, body, webhookId, triggeredAt, shop: undefined });
  return { ...message, status, answeredMs: performance.now() - startedAt };
}
