import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type IssueItem as IssueItemMessage,
  IssueOutcome,
  type IssuingService,
  type Product,
} from "#gen/registry/v1/issuing_service_pb.js";
import type { ProductSnapshot } from "../certificates/certificate.ts";
import type { CommitQueue } from "../certificates/commit-queue.ts";
import { createSamples, type SampleStore } from "../certificates/create-samples.ts";
import { type IssueResult, issueCertificates, issueChange } from "../certificates/issue-certificates.ts";
import type { IssueItem } from "../certificates/issue-item.ts";
import type { Ledger } from "../certificates/ledger.ts";
import { actorOf } from "./actor.ts";
import { checkCount } from "./check-count.ts";
import { enumNames } from "./enum-names.ts";

const itemsMax = 500;
const samplesMax = 20;

const outcomeNames = enumNames({
  issued: IssueOutcome.ISSUED,
  already_issued: IssueOutcome.ALREADY_ISSUED,
  invalid: IssueOutcome.INVALID,
  sold_out: IssueOutcome.SOLD_OUT,
});

/** What {@link issuingService} works with. */
export interface IssuingDeps {
  readonly queue: CommitQueue;
  readonly ledger: Ledger;
  readonly samples: SampleStore;
}

/** IssuingService over the domain. */
export function issuingService(deps: IssuingDeps): ServiceImpl<typeof IssuingService> {
  return {
    async issueCertificates({ storeId, items, dryRun, idempotencyKey, isImport }, context) {
      checkCount("items", items.length, itemsMax);
      const parsed = items.map(itemOf);
      const request = { idempotencyKey, isImport, actor: actorOf(context) };
      const results = dryRun
        ? (await deps.ledger.preview(storeId, [issueChange(parsed, request)])).flat()
        : await issueCertificates(deps.queue, storeId, parsed, request);
      return { results: results.map((result) => resultOf(result, dryRun)) };
    },

    async *importCertificates(parts, context) {
      const request = { idempotencyKey: "", isImport: true, actor: actorOf(context) };
      let storeId = "";
      let itemsDone = 0n;
      for await (const part of parts) {
        storeId = part.storeId || storeId;
        checkCount("items", part.items.length, itemsMax);
        const results = await issueCertificates(deps.queue, storeId, part.items.map(itemOf), request);
        itemsDone += BigInt(results.length);
        yield { results: results.map((result) => resultOf(result, false)), itemsDone };
      }
    },

    async createSamples({ storeId, products }) {
      checkCount("products", products.length, samplesMax);
      return { certificateIds: await createSamples(deps.samples, storeId, products.map(productOf)) };
    },
  };
}

function itemOf({ product, buyer, order, expiresAt }: IssueItemMessage): IssueItem {
  return {
    product: productOf(product),
    buyer: { name: buyer?.name ?? "", email: buyer?.email ?? "" },
    order:
      order === undefined ? null : { id: order.id, name: order.name, line: order.line, unit: order.unit },
    expiresAt: expiresAt === undefined ? null : timestampDate(expiresAt),
  };
}

function productOf(product: Product | undefined): ProductSnapshot {
  const { id = "", title = "", variant = "", sku = "" } = product ?? {};
  return { id, title, variant, sku };
}

// A dry run gives no id and no number away, so that it shows none for what is not issued yet.
function resultOf(result: IssueResult, dryRun: boolean) {
  const outcome = outcomeNames.valueOf(result.outcome);
  if (dryRun && result.outcome === "issued") return { outcome };
  return { ...result, outcome };
}
