import type { CertificateEvent } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { eventName } from "#shared/events/event-name.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { SpanKind, startChildSpan } from "#shared/trace/spans.ts";
import { type AttemptMetrics, outcomeName } from "./attempt-metrics.ts";
import type { Attempt } from "./webhook/send-message.ts";

interface ObserveAttemptDeps {
  readonly metrics: Pick<AttemptMetrics, "attemptStarted" | "attemptEnded">;
  readonly logger: Logger;
}

/** An attempt to observe. */
interface ObservedAttempt {
  readonly kind: "webhook" | "trigger";
  readonly event: CertificateEvent;
  /** Further fields of the log line. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Makes an attempt to send an event, and measures, traces and logs it in one line, without the receiver's words. */
export async function observeAttempt(
  { metrics, logger }: ObserveAttemptDeps,
  { kind, event, fields }: ObservedAttempt,
  send: () => Promise<Attempt>,
): Promise<Attempt> {
  metrics.attemptStarted();
  // The span's context is not sent: the receiver is not part of this system.
  const span = startChildSpan("POST", { kind: SpanKind.CLIENT });
  const attempt = await send();
  const { httpStatus, durationMs, phases, remoteAddress } = attempt;
  const outcome = outcomeName(attempt.kind);
  span.set({ "http.request.method": "POST", "http.response.status_code": httpStatus, ...phases });
  span.end(attempt.kind === OutcomeKind.DELIVERED ? undefined : outcome);
  metrics.attemptEnded(attempt.kind, durationMs);
  logger.info(
    {
      eventId: event.id,
      storeId: event.storeId,
      certificateId: event.certificateId,
      event: eventName(event.type),
      outcome,
      httpStatus,
      durationMs,
      phases,
      remoteAddress,
      reason: attempt.reason.code,
      ...fields,
    },
    `${kind} attempt`,
  );
  return attempt;
}
