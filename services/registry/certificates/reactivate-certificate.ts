import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { type CertificateRequest, changeCertificate, publicJson } from "./change-certificate.ts";
import type { ChangeQueue } from "./commit-queue.ts";
import { idempotent } from "./idempotent.ts";

/**
 * Reactivates a revoked certificate (INTERFACE.md §3).
 *
 * @returns the certificate's public JSON
 * @throws ServiceError `bad_request` or `conflict` naming `idempotency_key`; `not_found` for an unknown certificate;
 * `failed_precondition` if the certificate is not revoked or has expired
 */
export async function reactivateCertificate(queue: ChangeQueue, request: CertificateRequest): Promise<string> {
  const { storeId, certificateId, idempotencyKey, actor } = request;
  const change = changeCertificate({
    certificateId,
    operation: "reactivate",
    event: EventType.REACTIVATED,
    origin: { cause: "in_app", actor },
    fields: () => ({ revokedAt: null, revokedReason: null }),
    answer: publicJson,
  });
  return queue.submit(storeId, idempotent(idempotencyKey, ["reactivate", certificateId], change));
}
