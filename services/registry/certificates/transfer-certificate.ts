import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { Person } from "./certificate.ts";
import { type CertificateRequest, publicJson } from "./certificate-request.ts";
import { changeCertificate } from "./change-certificate.ts";
import type { CommitQueue } from "./commit-queue.ts";
import { idempotent } from "./idempotent.ts";
import { findPersonProblem } from "./issue-item.ts";
import { unwrap } from "./refusal.ts";

/** What is to be transferred to whom. */
export interface TransferRequest extends CertificateRequest {
  readonly newOwner: Person;
}

/**
 * Gives an active certificate a new owner; its original buyer stays (INTERFACE.md §3).
 *
 * @returns its public JSON
 * @throws ServiceError `bad_request` naming the field, `not_found`, `failed_precondition` when it is not active
 */
export async function transferCertificate(queue: CommitQueue, request: TransferRequest): Promise<string> {
  const { storeId, certificateId, idempotencyKey, actor, newOwner } = request;
  const problem = findPersonProblem(newOwner, { name: "new_owner_name", email: "new_owner_email" });
  if (problem !== undefined) throw new ServiceError("bad_request", problem.message, { field: problem.field });
  const change = changeCertificate({
    certificateId,
    operation: "transfer",
    event: EventType.TRANSFERRED,
    origin: { cause: "in_app", actor },
    fields: () => ({ owner: newOwner }),
    answer: publicJson,
  });
  return unwrap(
    await queue.submit(storeId, idempotent(idempotencyKey, ["transfer", certificateId, newOwner], change)),
  );
}
