import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { Person } from "./certificate.ts";
import { type CertificateRequest, changeCertificate, publicJson } from "./change-certificate.ts";
import type { ChangeQueue } from "./commit-queue.ts";
import { idempotent } from "./idempotent.ts";
import { findPersonProblem, requireValid } from "./issue-item.ts";

/** A request to transfer a certificate. */
export interface TransferRequest extends CertificateRequest {
  readonly newOwner: Person;
}

/**
 * Transfers an active certificate to a new owner; the original buyer does not change (INTERFACE.md §3).
 *
 * @returns the certificate's public JSON
 * @throws ServiceError `bad_request` naming the field, `not_found`, `failed_precondition` unless the status is active
 */
export async function transferCertificate(queue: ChangeQueue, request: TransferRequest): Promise<string> {
  const { storeId, certificateId, idempotencyKey, actor, newOwner } = request;
  requireValid(findPersonProblem(newOwner, { name: "new_owner_name", email: "new_owner_email" }));
  const change = changeCertificate({
    certificateId,
    operation: "transfer",
    event: EventType.TRANSFERRED,
    origin: { cause: "in_app", actor },
    fields: () => ({ owner: newOwner }),
    answer: publicJson,
  });
  return queue.submit(storeId, idempotent(idempotencyKey, ["transfer", certificateId, newOwner], change));
}
