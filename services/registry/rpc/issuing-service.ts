import { timestampDate } from "@bufbuild/protobuf/wkt";
import {
  type IssueItem as IssueItemMessage,
  IssueOutcome,
  IssuingService,
  type Product,
} from "#gen/registry/v1/issuing_service_pb.js";
import { reasonMessage } from "#shared/rpc/reason-messages.ts";
import type { ProductSnapshot } from "../certificates/certificate.ts";
import type { CommitQueue } from "../certificates/commit-queue.ts";
import { createSamples, type SampleStore } from "../certificates/create-samples.ts";
import { type IssueResult, issueCertificates, issueChange } from "../certificates/issue-certificates.ts";
import type { IssueItem } from "../certificates/issue-item.ts";
import type { Ledger } from "../certificates/ledger.ts";
import { verifyUrl } from "../certificates/public-json.ts";
import type { LoadShedder } from "../load/load-shedder.ts";
import type { StoreDirectory } from "../stores/store-directory.ts";
import { renderSettingsOf } from "../values/store.ts";
import { callLimitsOf } from "./call-limits-of.ts";
import { storeAndActorOf, storeOf } from "./call-scope.ts";
import { enumNames } from "./enum-names.ts";
import { type OfferedService, offer } from "./offered-service.ts";
import { checkCount } from "./request-limits.ts";

const maxItems = 500;
const maxSamples = 20;

const outcomeNames = enumNames(IssueOutcome);

interface IssuingDeps {
  readonly queue: CommitQueue;
  readonly ledger: Pick<Ledger, "preview">;
  /** Bounds the dry runs, which bypass the commit queue. */
  readonly dryRuns: Pick<LoadShedder, "run">;
  readonly samples: SampleStore;
  readonly stores: Pick<StoreDirectory, "findStore">;
  /** Base URL of the service's own verification pages. */
  readonly serviceVerifyUrl: string;
}

/** Implements IssuingService: translates between its messages and the domain. */
export function issuingService(deps: IssuingDeps): OfferedService {
  const { queue, ledger, dryRuns, samples, stores, serviceVerifyUrl } = deps;
  return offer(IssuingService, {
    async issueCertificates({ items, dryRun, idempotencyKey, isImport, editionsUsed }, context) {
      checkCount("items", items.length, maxItems);
      const parsed = items.map(itemOf);
      const { storeId, actor } = storeAndActorOf(context);
      const request = { idempotencyKey, isImport, actor };
      const limits = callLimitsOf(context);
      if (!dryRun) {
        const results = await issueCertificates(queue.within(limits), storeId, parsed, request);
        return { results: results.map((result) => resultMessage(result, false)) };
      }
      const used = new Map(editionsUsed.map(({ productId, count }) => [productId, count]));
      const preview = () => ledger.preview(storeId, issueChange(parsed, request), used);
      const found = await dryRuns.run({ store: storeId, ...limits }, preview);
      return {
        results: found.result.map((result) => resultMessage(result, true)),
        editionsUsed: Array.from(found.editionsUsed, ([productId, count]) => ({ productId, count })),
      };
    },

    async createSamples({ products }, context) {
      checkCount("products", products.length, maxSamples);
      const storeId = storeOf(context);
      const certificateIds = await createSamples(samples, storeId, products.map(productOf));
      const settings = renderSettingsOf(await stores.findStore({ storeId }), serviceVerifyUrl);
      return { certificateIds, verifyUrls: certificateIds.map((id) => verifyUrl(id, settings)) };
    },
  });
}

function itemOf({ product, buyer, order, expiresAt }: IssueItemMessage): IssueItem {
  return {
    product: productOf(product),
    buyer: { name: buyer?.name ?? "", email: buyer?.email ?? "" },
    order: order === undefined ? null : { id: order.id, name: order.name, line: order.line, unit: order.unit },
    expiresAt: expiresAt === undefined ? null : timestampDate(expiresAt),
  };
}

function productOf(product: Product | undefined): ProductSnapshot {
  const { id = "", title = "", variant = "", sku = "" } = product ?? {};
  return { id, title, variant, sku };
}

// The id and the serial number of a certificate that a dry run would issue are placeholders, so they are omitted.
function resultMessage(result: IssueResult, dryRun: boolean) {
  const outcome = outcomeNames.valueOf(result.outcome);
  if (dryRun && result.outcome === "issued") return { outcome };
  return "reason" in result ? { ...result, outcome, reason: reasonMessage(result.reason) } : { ...result, outcome };
}
