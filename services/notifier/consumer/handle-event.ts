import type { CertificateEvent } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind, type WebhookTarget } from "#gen/registry/v1/notifier_service_pb.js";
import type { ErrorCode } from "#shared/errors/error-codes.ts";
import { eventName } from "#shared/events/event-name.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { OnStep } from "../delivery-step.ts";
import type { ClaimAnswer, ClaimRequest, OutcomeReport } from "../registry-client/registry-deliveries.ts";
import type { Attempt, Deliver } from "../webhook/deliver.ts";
import { buildMessageBody } from "../webhook/message-body.ts";
import { backOffMs } from "./back-off.ts";
import { type Disposition, nak, settled, settledAfter } from "./disposition.ts";
import { type NotifierMetrics, outcomeName } from "./notifier-metrics.ts";

/** What handling an event needs. */
export interface HandleEventDeps {
  readonly claim: (request: ClaimRequest) => Promise<ClaimAnswer>;
  readonly record: (report: OutcomeReport) => Promise<void>;
  readonly deliver: Deliver;
  readonly metrics: NotifierMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly onStep?: OnStep | undefined;
}

/**
 * Handles one event, from the claim to the recorded outcome. The signal cuts short what is under way; `onSend` is told
 * when the sending begins, with what ends when the sending does.
 */
export type HandleEvent = (
  event: CertificateEvent,
  cut: AbortSignal,
  onSend?: (sent: Promise<unknown>) => void,
) => Promise<Disposition>;

const claimRetryDelayMs = 2_000;
const inFlightDelayMs = 5_000;
// Somebody has to mount a key: nothing is gained by asking more often.
const secretDelayMs = 15_000;
// Recording these again would fail again; the claim then ends as interrupted.
const hopeless: readonly ErrorCode[] = ["bad_request", "unauthorized", "plan_required", "method_not_allowed"];

/**
 * The one place where it is decided what becomes of an event. A POST happens only here, after an answer that says
 * "send" and to nothing else: whatever fails or stays unknown before puts the message back, and nothing that fails
 * afterwards leads back to it (INTERFACE.md §6, rule 2).
 */
export function createHandleEvent(deps: HandleEventDeps): HandleEvent {
  return async (event, cut, onSend) => {
    const { id: eventId, storeId, certificateId, type, requestedBy } = event;
    const queuedAt = event.queuedAt ?? event.occurredAt;
    let answer: ClaimAnswer;
    deps.onStep?.("before_claim");
    try {
      answer = await deps.claim({
        eventId,
        storeId,
        certificateId,
        type,
        requestedBy,
        ...(queuedAt && { queuedAt }),
      });
    } catch {
      // Perhaps the claim was stored all the same: then the registry will settle the event as interrupted.
      return nak("registry_away", claimRetryDelayMs);
    }
    deps.onStep?.("after_claim");
    if (answer.decision === "in_flight") return nak("in_flight", inFlightDelayMs);
    if (answer.decision === "later") return nak("secret_unreadable", secretDelayMs);
    if (answer.decision === "skipped") return settledAfter(0);
    if (answer.decision !== "send") return settled;
    const attempt = await attemptDelivery(event, answer.target, deps, cut, onSend);
    deps.onStep?.("before_outcome");
    const isRecorded = await recordUntilStored({ eventId, ...attempt }, deps, cut);
    if (!isRecorded) return nak("unrecorded", inFlightDelayMs);
    return settledAfter(attempt.durationMs);
  };
}

async function attemptDelivery(
  event: CertificateEvent,
  target: WebhookTarget,
  { deliver, metrics, logger }: HandleEventDeps,
  cut: AbortSignal,
  onSend?: (sent: Promise<unknown>) => void,
): Promise<Attempt> {
  const body = buildMessageBody(event, target.format);
  if (body === undefined) {
    const reason = "The store's webhook format does not have this event.";
    const nothing = { httpStatus: 0, durationMs: 0, phases: {}, remoteAddress: "", replyExcerpt: "" };
    return { kind: OutcomeKind.SKIPPED, reason, ...nothing };
  }
  metrics.attemptStarted();
  const { url, secret, otherSecret } = target;
  const sent = deliver({ eventId: event.id, url, body, secret, otherSecret }, cut);
  onSend?.(sent);
  const attempt = await sent;
  metrics.attemptEnded(attempt.kind, attempt.durationMs);
  logger.info(
    {
      eventId: event.id,
      store: event.storeId,
      certificate: event.certificateId,
      event: eventName(event.type),
      outcome: outcomeName(attempt.kind),
      httpStatus: attempt.httpStatus,
      durationMs: attempt.durationMs,
      phases: attempt.phases,
      remoteAddress: attempt.remoteAddress,
      reason: attempt.reason,
      secret: secret.length > 0 ? "configured" : "none",
    },
    "webhook attempt",
  );
  return attempt;
}

async function recordUntilStored(
  report: OutcomeReport,
  { record, logger, clock }: HandleEventDeps,
  cut: AbortSignal,
): Promise<boolean> {
  for (let failures = 0; ; failures++) {
    try {
      await record(report);
      return true;
    } catch (error) {
      if (cut.aborted || hopeless.includes(toServiceError(error).code)) {
        logger.error(
          { err: error, eventId: report.eventId },
          "the outcome of an attempt could not be recorded",
        );
        return false;
      }
      await clock.sleep(backOffMs(failures, 250, 5_000), cut);
    }
  }
}
