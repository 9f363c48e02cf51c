import type { CertificateEvent } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind, type WebhookTarget } from "#gen/registry/v1/notifier_service_pb.js";
import type { Logger } from "#shared/observe/logger.ts";
import { reason } from "#shared/reasons/reason.ts";
import { retryUntil } from "#shared/retry/retry-until.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { inChildSpan } from "#shared/trace/spans.ts";
import { buildMessageBody } from "#shared/webhook/message-body.ts";
import { publishDeliveryStep } from "../delivery-steps.ts";
import { observeAttempt } from "../observe-attempt.ts";
import type { OutcomeReport } from "../registry-client/registry-deliveries.ts";
import type { Deliver } from "../webhook/deliver.ts";
import { type Attempt, skippedAttempt } from "../webhook/send-message.ts";
import { arrivalDelay } from "./arrival-delay.ts";
import { type ClaimEventDeps, claimEvent, permanentErrors } from "./claim-event.ts";
import { ack, ackAfter, ackSkipped, type Disposition, nak } from "./disposition.ts";
import type { NotifierMetrics } from "./notifier-metrics.ts";

/** The dependencies of {@link createHandleEvent}. */
export interface HandleEventDeps extends ClaimEventDeps {
  readonly record: (report: OutcomeReport) => Promise<void>;
  readonly deliver: Deliver;
  readonly metrics: NotifierMetrics;
  readonly logger: Logger;
}

/**
 * Handles one event, from the claim to the recorded outcome.
 *
 * @param signal stops retries of calls to the registry, and interrupts the delivery; if the signal's reason is a
 *   DeliveryFailure, it becomes the delivery's outcome
 * @param onSend called when the delivery starts, with a promise that settles when the delivery ends
 */
export type HandleEvent = (
  event: CertificateEvent,
  signal: AbortSignal,
  onSend?: (sent: Promise<unknown>) => void,
) => Promise<Disposition>;

const recordPauseMs = { first: 250, max: 5_000 };
const claimRetryDelayMs = 2_000;
const inFlightDelayMs = 5_000;
// An operator must first mount the missing encryption key, so retrying more often would be useless.
const secretDelayMs = 15_000;

/**
 * Creates the event handler, which claims an event, delivers it and records the outcome. Delivery is at-most-once
 * (INTERFACE.md §6, rule 2): an event's webhook POST is sent only here, and only after the claim returned "send". If
 * the claim fails, JetStream redelivers the event; a failure after the POST never leads to a second POST.
 */
export function createHandleEvent(deps: HandleEventDeps): HandleEvent {
  return async (event, signal, onSend) => {
    publishDeliveryStep("before_claim");
    const claimed = await inChildSpan("claim", {}, () => claimEvent(event, deps, signal));
    // If the claim was stored although no answer arrived, the registry settles the event as interrupted.
    if (claimed === undefined) return nak("registry_unavailable", claimRetryDelayMs);
    publishDeliveryStep("after_claim");
    const { answer, ageMs } = claimed;
    if (answer.decision === "in_flight") return nak("in_flight", inFlightDelayMs);
    if (answer.decision === "later") return nak("secret_unreadable", secretDelayMs);
    if (answer.decision === "skipped") return ackSkipped;
    if (answer.decision !== "send") return ack;
    const grant = { target: answer.target, isValid: () => ageMs() < answer.sendWithinMs };
    const attempt = await attemptDelivery(event, grant, deps, signal, onSend);
    publishDeliveryStep("before_outcome");
    const report = { eventId: event.id, ...attempt };
    const isRecorded = await inChildSpan("record outcome", {}, () => recordUntilStored(report, deps, signal));
    if (!isRecorded) return nak("unrecorded", inFlightDelayMs);
    return attempt.kind === OutcomeKind.SKIPPED ? ackSkipped : ackAfter(attempt.durationMs);
  };
}

/** The permission to send an event once. */
interface SendGrant {
  readonly target: WebhookTarget;
  /** Returns whether sending may still begin. */
  readonly isValid: () => boolean;
}

async function attemptDelivery(
  event: CertificateEvent,
  { target, isValid }: SendGrant,
  { deliver, metrics, logger, clock }: HandleEventDeps,
  signal: AbortSignal,
  onSend?: (sent: Promise<unknown>) => void,
): Promise<Attempt> {
  const body = buildMessageBody(event, target.format);
  if (body === undefined) return skippedAttempt(reason("event_not_in_format"));
  const { url, secret, otherSecret } = target;
  const fields = { secret: secret.length > 0 ? "configured" : "none" };
  const attempt = await observeAttempt({ metrics, logger }, { kind: "webhook", event, fields }, () => {
    const sent = deliver({ eventId: event.id, url, body, secret, otherSecret, mayBegin: isValid }, signal);
    onSend?.(sent);
    return sent;
  });
  const delay = arrivalDelay(event, attempt, clock.now());
  if (delay !== undefined) metrics.arrived(delay);
  return attempt;
}

/**
 * Records the outcome; retries until it is stored. @returns false if it cannot be stored, or the signal aborts first
 */
async function recordUntilStored(
  report: OutcomeReport,
  { record, logger, clock }: HandleEventDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const isFinal = (error: unknown) => permanentErrors.includes(toServiceError(error).code);
  try {
    await retryUntil(() => record(report), { isFinal, pauseMs: recordPauseMs, clock, signal });
    return true;
  } catch (error) {
    logger.error({ err: error, eventId: report.eventId }, "failed to record the outcome of an attempt");
    return false;
  }
}
