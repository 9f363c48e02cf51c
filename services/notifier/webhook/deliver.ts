import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { isTestId } from "#shared/events/event-fields.ts";
import { type MessageHeader, type SigningSecrets, signatureHeaders } from "#shared/webhook/message-headers.ts";
import { requestHead } from "./request-head.ts";
import { secretsToRedact } from "./secrets-to-redact.ts";
import type { Attempt, OutgoingMessage, Send } from "./send-message.ts";

/** A webhook message to deliver. */
export interface Delivery extends SigningSecrets, Pick<OutgoingMessage, "url" | "body" | "mayBegin"> {
  readonly eventId: string;
}

/**
 * Delivers a webhook message with at most one POST. Reports a failure in the {@link Attempt}; never rejects.
 *
 * @param signal interrupts the attempt; if its reason is a DeliveryFailure, that becomes the outcome
 */
export type Deliver = (delivery: Delivery, signal: AbortSignal) => Promise<Attempt>;

/** Creates the function that signs and delivers webhook messages. */
export function createDeliver(send: Send): Deliver {
  return async (delivery, signal) => {
    const { url, body, mayBegin, eventId: deliveryId } = delivery;
    const signatures = signatureHeaders(delivery, body);
    const head = (parsed: URL) => requestHead({ url: parsed, bodyBytes: body.length, deliveryId, signatures });
    const secrets = (parsed: URL) => secretsInReply(parsed, delivery, signatures);
    const attempt = await send({ url, body, mayBegin, head, secrets }, signal);
    const wasSent = attempt.httpStatus > 0 || attempt.kind === OutcomeKind.TIMEOUT;
    if (!wasSent || !isTestId(deliveryId)) return attempt;
    return { ...attempt, sentRequest: requestText(head(new URL(url)), body) };
  };
}

/** Returns the strings to redact in the reply of a webhook's receiver; see {@link secretsToRedact}. */
export function secretsInReply(
  url: URL,
  { secret, otherSecret }: SigningSecrets,
  signatures: readonly MessageHeader[],
): string[] {
  const texts = [secret, otherSecret?.secret ?? []].map((bytes) => Buffer.from(bytes).toString());
  const digests = signatures.map(([, value]) => Buffer.from(value.replace(/^.*=/, ""), "hex"));
  return secretsToRedact(url, { texts, bytes: digests });
}

const requestCharactersMax = 16_384;

/** Returns the headers and the body of a request, without the request line, whose path may be a secret. */
function requestText(head: Buffer, body: Buffer): string {
  const headers = head.toString("latin1").split("\r\n").slice(1).join("\n");
  return `${headers}${body}`.slice(0, requestCharactersMax).toWellFormed();
}
