import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { newId } from "../values/identifiers.ts";
import { lengthProblem } from "../values/text-rules.ts";
import { type CertificateRequest, changeCertificate } from "./change-certificate.ts";
import type { ChangeQueue } from "./commit-queue.ts";
import { idempotent } from "./idempotent.ts";
import { findEmailProblem, requireValid } from "./issue-item.ts";
import type { ReportKind } from "./problem-report.ts";

/** A buyer's request to report a problem with a certificate. */
export interface ReportRequest extends Omit<CertificateRequest, "actor"> {
  readonly kind: ReportKind;
  /** 1 to 4,000 characters, not only white space. */
  readonly content: string;
  /** The empty string if the reporter left no address. */
  readonly reporterEmail: string;
}

/**
 * Stores a buyer's report for the store and publishes an event (INTERFACE.md §6).
 *
 * @returns the report's id
 * @throws ServiceError `bad_request` naming the field; `conflict` naming `idempotency_key`; `not_found` for an unknown
 *   certificate
 */
export async function reportProblem(queue: ChangeQueue, request: ReportRequest): Promise<string> {
  const { storeId, certificateId, idempotencyKey, kind, content, reporterEmail } = request;
  const problem = content.trim() === "" ? reason("text_empty") : lengthProblem(content, textLimits.reportContent);
  if (problem !== undefined) throw badRequest("content", problem);
  if (reporterEmail !== "") requireValid(findEmailProblem(reporterEmail, "reporter_email"));
  const change = changeCertificate({
    certificateId,
    operation: "report",
    event: EventType.REPORTED,
    origin: { cause: "verification_page", actor: "buyer" },
    fields: () => ({}),
    answer: ({ updatedAt }, _, draft) => {
      const id = newId("rep");
      draft.reports.push({ id, certificateId, reportedAt: updatedAt, kind, content, reporterEmail });
      return id;
    },
  });
  const requested = ["report", certificateId, content, reporterEmail, kind];
  return queue.submit(storeId, idempotent(idempotencyKey, requested, change));
}
