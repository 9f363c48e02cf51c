import { newLinkToken } from "../values/identifiers.ts";
import type { CertificateRequest } from "./change-certificate.ts";
import type { ChangeQueue } from "./commit-queue.ts";
import { idempotent } from "./idempotent.ts";
import type { Change } from "./ledger.ts";
import { type Refusal, unknownCertificate } from "./refusal.ts";

/**
 * Replaces the link of a certificate, for example because strangers have it. The old link stops working. The public
 * JSON contains the link, so `updatedAt` changes, but INTERFACE.md §6 defines no event for this change. A certificate
 * whose page was opened before remains verified, and opening the new link does not verify it again.
 *
 * @returns the certificate's public JSON
 * @throws ServiceError `bad_request` or `conflict` naming `idempotency_key`; `not_found` for an unknown certificate
 */
export async function replaceLink(queue: ChangeQueue, request: CertificateRequest): Promise<string> {
  const { storeId, certificateId, idempotencyKey, actor } = request;
  const change: Change<string | Refusal> = {
    needs: { certificateIds: [certificateId] },
    maxTimestamps: 1,
    maxSerials: 0,
    decide: (draft) => {
      const certificate = draft.certificate(certificateId);
      if (certificate === undefined) return unknownCertificate;
      const changed = { ...certificate, linkToken: newLinkToken(), updatedAt: draft.nextTimestamp() };
      draft.updateWithoutEvent(changed, { change: "link_replaced", origin: { cause: "in_app", actor } });
      return draft.render(changed).toString();
    },
  };
  return queue.submit(storeId, idempotent(idempotencyKey, ["replace_link", certificateId], change));
}
