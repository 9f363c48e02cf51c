import { fromBinary } from "@bufbuild/protobuf";
import { CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import type { TriggerLease } from "#gen/registry/v1/trigger_delivery_service_pb.js";
import type { Logger } from "#shared/observe/logger.ts";
import { reason } from "#shared/reasons/reason.ts";
import type { Clock } from "#shared/time/clock.ts";
import { standardSecretPrefix, standardSignature } from "#shared/webhook/standard-signature.ts";
import type { AttemptMetrics } from "../attempt-metrics.ts";
import { observeAttempt } from "../observe-attempt.ts";
import { postHead } from "../webhook/request-head.ts";
import { secretsToRedact } from "../webhook/secrets-to-redact.ts";
import { type Attempt, type Send, skippedAttempt } from "../webhook/send-message.ts";
import { triggerMessage, UnsupportedByVersion } from "./trigger-message.ts";

export interface SendToTriggerDeps {
  readonly send: Send;
  readonly metrics: AttemptMetrics;
  /** The wall clock, for the timestamp of the signature. */
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Makes one attempt to send an event to a trigger, signed as Standard Webhooks specifies. The outcome is `SKIPPED` if
 * there is nothing to send or the event is invalid, because a further attempt would have the same result. The message
 * has the id of the event, so that a receiver can recognize a repeated message.
 *
 * @param mayBegin returns whether the lease still permits sending the first byte
 * @param signal interrupts the attempt
 * @throws UnsupportedByVersion if this version does not know the trigger's format or the event's type
 */
export async function sendToTrigger(
  { send, metrics, clock, logger }: SendToTriggerDeps,
  lease: TriggerLease,
  mayBegin: () => boolean,
  signal: AbortSignal,
): Promise<Attempt> {
  const read = readEvent(lease);
  if ("problem" in read) {
    const { deliveryId, triggerId } = lease;
    // The error's message is not logged, because it may quote the certificate.
    const problem = read.problem instanceof Error ? read.problem.name : "unknown";
    logger.error({ problem, deliveryId, triggerId }, "skipped an invalid workflow trigger event");
    return skippedAttempt(reason("event_unreadable"));
  }
  const { event, message } = read;
  if (message === undefined) return skippedAttempt(reason("no_profile"));
  const { contentType, body } = message;
  const timestamp = Math.floor(clock.now() / 1_000);
  const signature = standardSignature(lease.signingKeys, { id: event.id, timestamp, body });
  const headers = [
    ["webhook-id", event.id],
    ["webhook-timestamp", String(timestamp)],
    ["webhook-signature", signature],
  ] as const;
  const head = (url: URL) => postHead(url, contentType, body.length, headers);
  const secrets = (url: URL) => secretsInReply(url, lease.signingKeys, signature);
  const fields = { triggerId: lease.triggerId, attempt: lease.attempt };
  return await observeAttempt({ metrics, logger }, { kind: "trigger", event, fields }, async () => {
    const attempt = await send({ url: lease.url, body, head, secrets, mayBegin }, signal);
    // The event is sent again, which the reasons of a webhook's interrupted attempt deny.
    return attempt.kind === OutcomeKind.INTERRUPTED ? { ...attempt, reason: reason("attempt_interrupted") } : attempt;
  });
}

/**
 * Decodes the event and builds its message.
 *
 * @returns the event and its message, or the error as `problem` if the event is invalid
 * @throws UnsupportedByVersion for an event type or format that only a later version supports
 */
function readEvent({ event: bytes, format }: TriggerLease) {
  try {
    const event = fromBinary(CertificateEventSchema, bytes);
    if (EventType[event.type] === undefined) throw new UnsupportedByVersion(`unknown event type ${event.type}`);
    return { event, message: triggerMessage(event, format) };
  } catch (error) {
    if (error instanceof UnsupportedByVersion) throw error;
    return { problem: error };
  }
}

/** Returns the strings to redact in the reply of a trigger's receiver; see {@link secretsToRedact}. */
function secretsInReply(url: URL, keys: readonly Uint8Array[], signature: string): string[] {
  const texts = keys.map((key) => `${standardSecretPrefix}${Buffer.from(key).toString("base64")}`);
  const digests = signature.split(/ ?v1,/).map((digest) => Buffer.from(digest, "base64"));
  return secretsToRedact(url, { texts, bytes: [...keys, ...digests] });
}
