import type { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { type Certificate, isPastDate, statusAt } from "./certificate.ts";
import type { Change } from "./ledger.ts";
import type { Origin } from "./origin.ts";
import type { Refusal } from "./refusal.ts";
import type { StoreDraft } from "./store-draft.ts";
import { type Operation, transitionOf } from "./transitions.ts";

/** A change of one certificate. */
export interface CertificateChange<Result> {
  readonly certificateId: string;
  readonly operation: Operation;
  readonly event: EventType;
  readonly origin: Origin;
  /** Whether nothing is left to be done, and so nothing to be told. Default: never. */
  readonly isDone?: (certificate: Certificate) => boolean;
  /** What changes beside status and `updatedAt`. */
  readonly fields: (updatedAt: Date) => Partial<Certificate>;
  /** The answer, given the certificate afterwards. */
  readonly answer: (certificate: Certificate, isChanged: boolean, draft: StoreDraft) => Result;
}

/** The change as a decision: found, allowed by the state machine, written with its own time and its event. */
export function changeCertificate<Result>(wanted: CertificateChange<Result>): Change<Result | Refusal> {
  return {
    needs: { certificateIds: [wanted.certificateId] },
    maxTimestamps: 1,
    serialsMax: 0,
    decide: (draft) => decide(wanted, draft),
  };
}

function decide<Result>(wanted: CertificateChange<Result>, draft: StoreDraft): Result | Refusal {
  const certificate = draft.certificate(wanted.certificateId);
  if (certificate === undefined)
    return { refused: "not_found", message: "There is no such certificate.", field: "certificate_id" };
  const status = statusAt(certificate, draft.now);
  const transition = transitionOf(wanted.operation, status, isPastDate(certificate, draft.now));
  if ("refused" in transition) return { refused: "failed_precondition", message: transition.refused };
  if (wanted.isDone?.(certificate)) return wanted.answer(certificate, false, draft);
  const updatedAt = draft.nextTimestamp();
  const changed = { ...certificate, ...wanted.fields(updatedAt), status: transition.to, updatedAt };
  draft.update(changed, wanted.event, wanted.origin);
  return wanted.answer(changed, true, draft);
}
