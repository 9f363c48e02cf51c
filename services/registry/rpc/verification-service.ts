import { ReportKind, VerificationService } from "#gen/registry/v1/verification_service_pb.js";
import type { Certificate } from "../certificates/certificate.ts";
import type { CertificateLookup } from "../certificates/certificate-lookup.ts";
import type { CommitQueue } from "../certificates/commit-queue.ts";
import { recordVerification } from "../certificates/record-verification.ts";
import { checkReportLimit, type ReportLimitDeps } from "../certificates/report-limit.ts";
import { reportProblem } from "../certificates/report-problem.ts";
import type { VerificationLinks } from "../certificates/verification-links.ts";
import type { CallLimits } from "../load/call-limits.ts";
import type { LoadShedder } from "../load/load-shedder.ts";
import type { ProductDisplays } from "../stores/product-displays.ts";
import type { StoreDirectory } from "../stores/store-directory.ts";
import { callLimitsOf } from "./call-limits-of.ts";
import { reportKindNames } from "./enum-tables.ts";
import { type OfferedService, offer } from "./offered-service.ts";
import { verificationPage } from "./verification-page.ts";

interface VerificationDeps extends ReportLimitDeps {
  readonly queue: CommitQueue;
  readonly lookup: Pick<CertificateLookup, "findById">;
  readonly links: VerificationLinks;
  readonly stores: Pick<StoreDirectory, "findLogo">;
  readonly displays: Pick<ProductDisplays, "findImage">;
  /** Limits the look-ups in flight, because anyone can open verification pages. */
  readonly lookups: Pick<LoadShedder, "run">;
  /** Base URL of the service's own verification pages. */
  readonly serviceVerifyUrl: string;
}

/** Identifies a certificate by its link token or, if that is empty, by its id. */
interface Target {
  readonly certificateId: string;
  readonly linkToken: string;
}

/** Implements VerificationService: translates between its messages and the domain. */
export function verificationService(deps: VerificationDeps): OfferedService {
  const { queue, lookup, links, lookups, stores, displays, serviceVerifyUrl } = deps;
  const find = ({ certificateId, linkToken }: Target, limits: CallLimits): Promise<Certificate> =>
    lookups.run({ store: linkToken || certificateId, ...limits }, () =>
      linkToken === "" ? lookup.findById(certificateId) : links.findCertificate(linkToken),
    );
  return offer(VerificationService, {
    async getPage({ linkToken }, context) {
      const limits = callLimitsOf(context);
      const linked = await lookups.run({ store: linkToken, ...limits }, () => links.findPage(linkToken));
      return verificationPage(linked, serviceVerifyUrl);
    },

    async getLogo({ logoId }, context) {
      const find = () => stores.findLogo(logoId);
      return { content: await lookups.run({ store: logoId, ...callLimitsOf(context) }, find) };
    },

    async getProductImage({ imageId }, context) {
      const find = () => displays.findImage(imageId);
      return { content: await lookups.run({ store: imageId, ...callLimitsOf(context) }, find) };
    },

    async recordVerification(request, context) {
      const limits = callLimitsOf(context);
      const { id, storeId, verifiedAt } = await find(request, limits);
      // Most views are not a certificate's first; they must not wait in the store's queue of changes.
      if (verifiedAt !== null) return { isFirst: false };
      return { isFirst: await recordVerification(queue.within(limits), storeId, id) };
    },

    async reportProblem({ kind, content, reporterEmail, idempotencyKey, ...target }, context) {
      const limits = callLimitsOf(context);
      const { id: certificateId, storeId } = await find(target, limits);
      const known = reportKindNames.nameOf(kind || ReportKind.OTHER, "kind");
      const report = { content, reporterEmail, idempotencyKey, storeId, certificateId, kind: known };
      if (target.linkToken !== "")
        await lookups.run({ store: target.linkToken, ...limits }, () => checkReportLimit(deps, report));
      return { reportId: await reportProblem(queue.within(limits), report) };
    },
  });
}
