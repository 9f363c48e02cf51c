import type { ServiceImpl } from "@connectrpc/connect";
import type { VerificationService } from "#gen/registry/v1/verification_service_pb.js";
import type { CertificateLookup } from "../certificates/certificate-lookup.ts";
import type { CommitQueue } from "../certificates/commit-queue.ts";
import { recordVerification } from "../certificates/record-verification.ts";
import { reportProblem } from "../certificates/report-problem.ts";
import { callLimitsOf } from "./call-limits-of.ts";

interface VerificationDeps {
  readonly queue: CommitQueue;
  readonly lookup: Pick<CertificateLookup, "findById">;
}

/** Implements VerificationService: translates between its messages and the domain. */
export function verificationService({ queue, lookup }: VerificationDeps): ServiceImpl<typeof VerificationService> {
  return {
    async recordVerification({ certificateId }, context) {
      const { storeId, verifiedAt } = await lookup.findById(certificateId);
      // Most page views are not a certificate's first; they must not wait in the queue of the store's changes.
      if (verifiedAt !== null) return { isFirst: false };
      return { isFirst: await recordVerification(queue.within(callLimitsOf(context)), storeId, certificateId) };
    },

    async reportProblem(request, context) {
      const { storeId } = await lookup.findById(request.certificateId);
      return { reportId: await reportProblem(queue.within(callLimitsOf(context)), { ...request, storeId }) };
    },
  };
}
