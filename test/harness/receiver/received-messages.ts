import { createHmac } from "node:crypto";
import { z } from "zod";
import type { LoggedRequest } from "./request-log.ts";

const message = z.object({
  version: z.number(),
  event: z.string(),
  shop: z.string(),
  occurredAt: z.string(),
  // A message of format v1 has no `updatedAt`.
  certificate: z.object({ id: z.string(), updatedAt: z.string().optional() }).loose(),
});

/** A webhook message that the receiver received completely. */
export interface ReceivedMessage {
  /** `X-Service-Delivery`: the id of the delivery, which for an event is the event's id. */
  readonly deliveryId: string;
  /** Whether the message has the header `X-Service-Test: true`. */
  readonly isTest: boolean;
  /** Whether `X-Service-Signature` is the HMAC of the raw body. */
  readonly verified: boolean;
  /** The raw body, decoded as UTF-8. */
  readonly body: string;
  readonly message: z.output<typeof message>;
}

/**
 * Parses the complete requests as messages and checks the signature of each (INTERFACE.md §5).
 *
 * @throws Error when the body of a complete request is not a message
 */
export function receivedMessages(requests: readonly LoggedRequest[], secret: string): ReceivedMessage[] {
  return requests
    .filter(({ isComplete }) => isComplete)
    .map(({ headers, body: bytes }) => {
      const body = bytes.toString("utf8");
      return {
        deliveryId: headers.get("x-service-delivery") ?? "",
        isTest: headers.get("x-service-test") === "true",
        verified: headers.get("x-service-signature") === signatureOf(bytes, secret),
        body,
        message: message.parse(JSON.parse(body)),
      };
    });
}

/** Returns the `X-Service-Signature` value for a body and one secret. */
export function signatureOf(body: Uint8Array, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}
