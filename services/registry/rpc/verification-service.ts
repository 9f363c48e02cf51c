import type { ServiceImpl } from "@connectrpc/connect";
import type { VerificationService } from "#gen/registry/v1/verification_service_pb.js";
import type { CertificateLookup } from "../certificates/certificate-lookup.ts";
import type { CommitQueue } from "../certificates/commit-queue.ts";
import { recordVerification } from "../certificates/record-verification.ts";
import { reportProblem } from "../certificates/report-problem.ts";
import type { CallLimits } from "../load/call-limits.ts";
import type { LoadShedder } from "../load/load-shedder.ts";
import { callLimitsOf } from "./call-limits-of.ts";

interface VerificationDeps {
  readonly queue: CommitQueue;
  readonly lookup: Pick<CertificateLookup, "findById">;
  /** Bounds the look-ups: anyone can open verification pages. */
  readonly lookups: Pick<LoadShedder, "run">;
}

/** Implements VerificationService: translates between its messages and the domain. */
export function verificationService(deps: VerificationDeps): ServiceImpl<typeof VerificationService> {
  const { queue, lookup, lookups } = deps;
  const find = (certificateId: string, limits: CallLimits) =>
    lookups.run({ store: certificateId, ...limits }, () => lookup.findById(certificateId));
  return {
    async recordVerification({ certificateId }, context) {
      const limits = callLimitsOf(context);
      const { storeId, verifiedAt } = await find(certificateId, limits);
      // Most page views are not a certificate's first, and must not wait in the store's queue of changes.
      if (verifiedAt !== null) return { isFirst: false };
      return { isFirst: await recordVerification(queue.within(limits), storeId, certificateId) };
    },

    async reportProblem(request, context) {
      const limits = callLimitsOf(context);
      const { storeId } = await find(request.certificateId, limits);
      return { reportId: await reportProblem(queue.within(limits), { ...request, storeId }) };
    },
  };
}
