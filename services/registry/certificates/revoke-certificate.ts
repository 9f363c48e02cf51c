import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { textLimits } from "#shared/text/text-limits.ts";
import { checkText } from "../values/text-rules.ts";
import { type CertificateRequest, changeCertificate, publicJson } from "./change-certificate.ts";
import type { ChangeQueue } from "./commit-queue.ts";
import { idempotent } from "./idempotent.ts";
import type { Change } from "./ledger.ts";
import type { Refusal } from "./refusal.ts";

/** Causes of a revocation, each with its default reason. */
const revocationCauses = {
  refund: "Refund",
  order_cancelled: "Order cancelled",
  in_app: "Revoked by the store",
} as const;

/** Why a certificate is revoked. */
export type RevocationCause = keyof typeof revocationCauses;

/** A request to revoke a certificate. */
interface RevokeRequest extends CertificateRequest {
  readonly cause: RevocationCause;
  /** At most 255 characters; the empty string stands for the default reason for the cause. */
  readonly reason: string;
}

/**
 * Revokes an active certificate (INTERFACE.md §3).
 *
 * @returns the certificate's public JSON
 * @throws ServiceError `bad_request` naming `reason` or `idempotency_key`; `conflict` naming `idempotency_key`;
 * `not_found` for an unknown certificate; `failed_precondition` unless the status is active
 */
export async function revokeCertificate(queue: ChangeQueue, request: RevokeRequest): Promise<string> {
  const { storeId, certificateId, idempotencyKey, cause, reason } = request;
  checkText("reason", reason, textLimits.revokedReason);
  const content = ["revoke", certificateId, cause, reasonOf(request)];
  return queue.submit(storeId, idempotent(idempotencyKey, content, revocationChange(request)));
}

/** Creates the change that revokes a certificate, without an idempotency key. */
export function revocationChange(request: Omit<RevokeRequest, "storeId" | "idempotencyKey">): Change<string | Refusal> {
  const { certificateId, cause, actor } = request;
  return changeCertificate({
    certificateId,
    operation: "revoke",
    event: EventType.REVOKED,
    origin: { cause, actor },
    fields: (updatedAt) => ({
      revokedAt: updatedAt,
      revokedReason: reasonOf(request),
      ...(cause !== "in_app" && { wasWithdrawn: true }),
    }),
    answer: publicJson,
  });
}

function reasonOf({ cause, reason }: Pick<RevokeRequest, "cause" | "reason">): string {
  return reason === "" ? revocationCauses[cause] : reason;
}
