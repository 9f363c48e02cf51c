import { randomUUID } from "node:crypto";
import type { CertificateEvent } from "#gen/events/v1/certificate_event_pb.js";
import type { ErrorCode } from "#shared/errors/error-codes.ts";
import { retryUntil } from "#shared/retry/retry-until.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { didNotReachServer } from "#shared/rpc/grpc-failure.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { ClaimAnswer, ClaimRequest } from "../registry-client/registry-deliveries.ts";
import { startStopwatch } from "../stopwatch.ts";

/** The dependencies of {@link claimEvent}. */
export interface ClaimEventDeps {
  readonly claim: (request: ClaimRequest) => Promise<ClaimAnswer>;
  /** The wall clock. */
  readonly clock: Clock;
  /** A monotonic clock. */
  readonly steadyClock: Clock;
}

/** The answer to a claim, with the age of the claim. */
interface ClaimedEvent {
  readonly answer: ClaimAnswer;
  /** Returns the milliseconds since the start of the call that got the answer. Never less than the claim's age. */
  readonly ageMs: () => number;
}

/** Errors that a retry cannot resolve. After others that are not `retryable`, the call may have had its effect. */
export const permanentErrors: readonly ErrorCode[] = [
  "bad_request",
  "unauthorized",
  "plan_required",
  "method_not_allowed",
];

// How long failed calls are retried. A failed call may have stored its claim, or may still do so, and then only this
// attempt may send the event: if the message were returned to JetStream, the event would be settled as interrupted.
// After this time, another notifier can take over, in case only this one cannot reach the registry.
const repeatForMs = 5 * 60_000;

/**
 * Claims an event for one attempt. While it is unknown whether the claim is stored, retries the call with the token of
 * the attempt, for up to five minutes. The caller must call this function only once for each attempt, and must send
 * nothing until the answer has arrived.
 *
 * @param signal stops the retries
 * @returns undefined if the registry returned no decision; the event must then not be sent
 */
export async function claimEvent(
  event: CertificateEvent,
  { claim, clock, steadyClock }: ClaimEventDeps,
  signal: AbortSignal,
): Promise<ClaimedEvent | undefined> {
  const { id: eventId, storeId, certificateId, type, requestedBy, epoch } = event;
  const queuedAt = event.queuedAt ?? event.occurredAt;
  // With one token per process, two attempts of the process could send the same event.
  const attemptToken = randomUUID();
  const ids = { eventId, storeId, certificateId, type, requestedBy, attemptToken };
  const request = { ...ids, ...(queuedAt && { queuedAt }), ...(epoch !== undefined && { epoch }) };
  const giveUpAt = steadyClock.now() + repeatForMs;
  let mayBeStored = false;
  const attempt = async () => {
    const ageMs = startStopwatch({ wall: clock, steady: steadyClock });
    return { answer: await claim(request), ageMs };
  };
  const isFinal = (error: unknown) => {
    mayBeStored ||= !didNotReachServer(error);
    const isPermanent = permanentErrors.includes(toServiceError(error).code);
    return isPermanent || !mayBeStored || steadyClock.now() >= giveUpAt;
  };
  // A call after an abort could store a claim that no attempt uses; the event would then be settled as interrupted.
  const beforeRetry = () => signal.throwIfAborted();
  const policy = { isFinal, pauseMs: { first: 250, max: 2_000 }, clock, beforeRetry, signal };
  return retryUntil(attempt, policy).catch(() => undefined);
}
