import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { emailKey } from "#shared/email/email-address.ts";
import type { Person } from "./certificate.ts";
import { type CertificateRequest, changeCertificate, publicJson } from "./change-certificate.ts";
import type { ChangeQueue } from "./commit-queue.ts";
import { idempotent } from "./idempotent.ts";
import { findPersonProblem, requireValid } from "./issue-item.ts";

/** A request to transfer a certificate. */
interface TransferRequest extends CertificateRequest {
  readonly newOwner: Person;
}

/** The result of a transfer. */
interface TransferResult {
  /** The certificate's public JSON. */
  readonly certificate: string;
  /** Whether the certificate already had this owner; nothing was then written. */
  readonly isUnchanged: boolean;
}

/**
 * Transfers an active certificate to a new owner; the original buyer does not change (INTERFACE.md §3). A transfer to
 * the current owner writes nothing and publishes no event.
 *
 * @throws ServiceError `bad_request` naming the field; `conflict` naming `idempotency_key`; `not_found` for an unknown
 * certificate; `failed_precondition` unless the status is active
 */
export async function transferCertificate(queue: ChangeQueue, request: TransferRequest): Promise<TransferResult> {
  const { storeId, certificateId, idempotencyKey, actor, newOwner } = request;
  requireValid(findPersonProblem(newOwner, { name: "new_owner_name", email: "new_owner_email" }));
  const change = changeCertificate<Answer>({
    certificateId,
    operation: "transfer",
    event: EventType.TRANSFERRED,
    origin: { cause: "in_app", actor },
    isDone: ({ owner }) => isSamePerson(owner, newOwner),
    fields: () => ({ owner: newOwner }),
    answer: (certificate, isChanged, draft) => {
      const json = publicJson(certificate, isChanged, draft);
      return isChanged ? json : { unchanged: json };
    },
  });
  const answer = await queue.submit(storeId, idempotent(idempotencyKey, ["transfer", certificateId, newOwner], change));
  return typeof answer === "string"
    ? { certificate: answer, isUnchanged: false }
    : { certificate: answer.unchanged, isUnchanged: true };
}

// If the transfer changed the owner, its answer is stored under the idempotency key as plain public JSON, like the
// answers of other operations. A transfer without a change stores no answer.
type Answer = string | { readonly unchanged: string };

// Shop systems repeat transfers and change the case of addresses; a corrected name is visible on the certificate.
function isSamePerson(one: Person, other: Person): boolean {
  return one.name.normalize("NFC") === other.name.normalize("NFC") && emailKey(one.email) === emailKey(other.email);
}
