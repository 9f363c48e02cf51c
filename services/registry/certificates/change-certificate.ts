import type { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { type Certificate, hasExpired, statusAt } from "./certificate.ts";
import type { Change } from "./ledger.ts";
import { type Refusal, unknownCertificate } from "./refusal.ts";
import type { Origin, StoreDraft } from "./store-draft.ts";
import { type Operation, transitionOf } from "./transitions.ts";

/** A request to change one certificate. */
export interface CertificateRequest {
  readonly storeId: string;
  readonly certificateId: string;
  /** Requests with the same key within 24 hours take effect once. If empty, the request is not idempotent. */
  readonly idempotencyKey: string;
  readonly actor: string;
}

/** Specifies a change to one certificate and the event that the change publishes. */
export interface CertificateChange<Result> {
  readonly certificateId: string;
  readonly operation: Operation;
  readonly event: EventType;
  readonly origin: Origin;
  /** Returns whether the certificate already has the requested state; if so, nothing is written. Default: false. */
  readonly isDone?: (certificate: Certificate) => boolean;
  /** Returns the fields to change in addition to `status` and `updatedAt`. */
  readonly fields: (updatedAt: Date) => Partial<Certificate>;
  /** Returns the result, given the certificate after the change. */
  readonly answer: (certificate: Certificate, isChanged: boolean, draft: StoreDraft) => Result;
}

/**
 * Creates a change to one certificate. The change looks up the certificate, checks that the state machine allows the
 * operation, and writes the certificate with a new timestamp and an event.
 */
export function changeCertificate<Result>(change: CertificateChange<Result>): Change<Result | Refusal> {
  return {
    needs: { certificateIds: [change.certificateId] },
    maxTimestamps: 1,
    maxSerials: 0,
    decide: (draft) => decide(change, draft),
  };
}

function decide<Result>(change: CertificateChange<Result>, draft: StoreDraft): Result | Refusal {
  const certificate = draft.certificate(change.certificateId);
  if (certificate === undefined) return unknownCertificate;
  const status = statusAt(certificate, draft.now);
  const transition = transitionOf(change.operation, status, hasExpired(certificate, draft.now));
  if ("refused" in transition) return { refused: "failed_precondition", reason: transition.refused };
  if (change.isDone?.(certificate)) return change.answer(certificate, false, draft);
  const updatedAt = draft.nextTimestamp();
  const changed = { ...certificate, ...change.fields(updatedAt), status: transition.to, updatedAt };
  draft.update(changed, change.event, change.origin);
  return change.answer(changed, true, draft);
}

/** Returns the certificate's public JSON after the change. */
export function publicJson(certificate: Certificate, _isChanged: boolean, draft: StoreDraft): string {
  return draft.render(certificate).toString();
}
