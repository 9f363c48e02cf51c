import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { type CertificateRequest, publicJson } from "./certificate-request.ts";
import { changeCertificate } from "./change-certificate.ts";
import type { CommitQueue } from "./commit-queue.ts";
import { idempotent } from "./idempotent.ts";
import { textProblem } from "./issue-item.ts";
import { unwrap } from "./refusal.ts";

/** Why a certificate is revoked, and what it shows where the caller gives no reason. */
export const revocationCauses = {
  refund: "Refund",
  order_cancelled: "Order cancelled",
  in_app: "Revoked by the store",
} as const;

/** Why a certificate is revoked. */
export type RevocationCause = keyof typeof revocationCauses;

/** What is to be revoked. */
export interface RevokeRequest extends CertificateRequest {
  readonly cause: RevocationCause;
  /** At most 255 characters; empty: the cause in words. */
  readonly reason: string;
}

/**
 * Revokes an active certificate (INTERFACE.md §3).
 *
 * @returns its public JSON
 * @throws ServiceError `bad_request` naming `reason`, `not_found`, `failed_precondition` when it is not active
 */
export async function revokeCertificate(queue: CommitQueue, request: RevokeRequest): Promise<string> {
  const { storeId, certificateId, idempotencyKey, actor, cause } = request;
  const problem = textProblem({ value: request.reason, lengthMin: 0, lengthMax: 255 });
  if (problem !== undefined) throw badRequest("reason", problem);
  const revokedReason = request.reason === "" ? revocationCauses[cause] : request.reason;
  const change = changeCertificate({
    certificateId,
    operation: "revoke",
    event: EventType.REVOKED,
    origin: { cause, actor },
    fields: (updatedAt) => ({ revokedAt: updatedAt, revokedReason }),
    answer: publicJson,
  });
  return unwrap(
    await queue.submit(
      storeId,
      idempotent(idempotencyKey, ["revoke", certificateId, cause, revokedReason], change),
    ),
  );
}
