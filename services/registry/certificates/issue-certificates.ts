import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { EditionNumber } from "#shared/certificates/edition.ts";
import { reason } from "#shared/reasons/reason.ts";
import type { CatalogueProduct } from "../values/catalogue-product.ts";
import { newId, newLinkToken } from "../values/identifiers.ts";
import type { Certificate, ProductSnapshot } from "./certificate.ts";
import type { CertificateRequest } from "./change-certificate.ts";
import type { ChangeQueue } from "./commit-queue.ts";
import { idempotent } from "./idempotent.ts";
import { findIssuedByLineId, importedOrderIds } from "./imported-order.ts";
import {
  type FieldProblem,
  findExpiryProblem,
  findItemProblem,
  findMissingTitle,
  type IssueItem,
  issueKeyOf,
} from "./issue-item.ts";
import { type Change, PartialResult } from "./ledger.ts";
import { formatSerial } from "./serial.ts";
import type { Origin, StoreDraft } from "./store-draft.ts";

/** The result for one item. */
export type IssueResult =
  | { readonly outcome: "issued" | "already_issued"; readonly certificateId: string; readonly serial: string }
  | ({ readonly outcome: "invalid" | "sold_out" } & FieldProblem);

/** Options of a request to issue certificates. */
interface IssueRequest extends Pick<CertificateRequest, "idempotencyKey" | "actor"> {
  /** Whether the items come from an import. Recorded in the history; enables {@link findIssuedByLineId}. */
  readonly isImport: boolean;
}

/**
 * Issues certificates in the order of the items, in one transaction, or in several if another replica changes the store
 * meanwhile. An invalid item is reported and does not affect the others; an order unit that already has a certificate
 * keeps it (INTERFACE.md §3).
 */
export function issueCertificates(
  queue: ChangeQueue,
  storeId: string,
  items: readonly IssueItem[],
  request: IssueRequest,
): Promise<IssueResult[]> {
  const change = issueChange(items, request);
  return queue.submit(storeId, idempotent(request.idempotencyKey, ["issue", items], change));
}

/** Creates the change that issues the items, without an idempotency key; a dry run previews this change. */
export function issueChange(
  items: readonly IssueItem[],
  request: Pick<IssueRequest, "actor" | "isImport">,
): Change<IssueResult[]> {
  const checked = items.map((item) => ({ item, problem: findItemProblem(item) }));
  return issueRest(checked, request, []);
}

interface CheckedItem {
  readonly item: IssueItem;
  readonly problem: FieldProblem | undefined;
}

function issueRest(
  checked: readonly CheckedItem[],
  request: Pick<IssueRequest, "actor" | "isImport">,
  soFar: readonly IssueResult[],
): Change<IssueResult[]> {
  const rest = checked.slice(soFar.length);
  const valid = rest.filter(({ problem }) => problem === undefined).map(({ item }) => item);
  return {
    needs: {
      issueKeys: valid.map(issueKeyOf).filter((key) => key !== null),
      skus: valid.flatMap(({ product }) => (product.sku === "" ? [] : [product.sku])),
      // Not all certificates: a file can name one order in each of its rows.
      lineIdOrderIds: request.isImport ? importedOrderIds(valid) : [],
    },
    maxTimestamps: valid.length,
    maxSerials: valid.length,
    decide: (draft) => {
      const results = [...soFar];
      for (const { item, problem } of rest) {
        const result = problem === undefined ? issueOne(item, draft, originOf(item, request)) : invalid(problem);
        if (result === undefined) return new PartialResult(results);
        results.push(result);
      }
      return results;
    },
    continueFrom: (results) => issueRest(checked, request, results),
  };
}

/** @returns undefined when the item needs a timestamp and the draft has none left */
function issueOne(item: IssueItem, draft: StoreDraft, origin: Origin): IssueResult | undefined {
  const issueKey = issueKeyOf(item);
  const existing =
    (issueKey === null ? undefined : draft.certificateIssuedFor(issueKey)) ??
    (origin.cause === "import" ? findIssuedByLineId(item, draft) : undefined);
  if (existing !== undefined) return toResult("already_issued", existing);
  const upcoming = draft.upcomingTimestamp;
  if (upcoming === undefined) return undefined;
  const listed = item.product.sku === "" ? undefined : draft.productWithSku(item.product.sku);
  const problem =
    (listed === undefined ? findMissingTitle(item.product) : undefined) ?? findExpiryProblem(item, upcoming, draft.now);
  if (problem !== undefined) return invalid(problem);
  const edition = takeEdition(item, listed, draft);
  if (edition === "sold_out") {
    const { title } = listed ?? item.product;
    return { outcome: "sold_out", field: "product.sku", reason: reason("sold_out", { title }) };
  }
  const issuedAt = draft.nextTimestamp();
  const certificate: Certificate = {
    id: newId("crt"),
    linkToken: newLinkToken(),
    storeId: draft.store.id,
    serial: draft.takeSerial(),
    status: "active",
    product: listed === undefined ? item.product : snapshotOf(listed, item.product.sku),
    edition,
    order: item.order && { id: item.order.id, name: item.order.name },
    owner: item.buyer,
    originalBuyer: item.buyer,
    issuedAt,
    updatedAt: issuedAt,
    expiresAt: item.expiresAt,
    revokedAt: null,
    revokedReason: null,
    verifiedAt: null,
    issueKey,
    wasWithdrawn: false,
  };
  draft.insert(certificate, EventType.ISSUED, origin);
  return toResult("issued", certificate);
}

function invalid(problem: FieldProblem): IssueResult {
  return { outcome: "invalid", ...problem };
}

function originOf(item: IssueItem, { actor, isImport }: Pick<IssueRequest, "actor" | "isImport">): Origin {
  return { cause: isImport ? "import" : item.order === null ? "manual" : "order", actor };
}

function takeEdition(
  { edition }: IssueItem,
  product: CatalogueProduct | undefined,
  draft: StoreDraft,
): EditionNumber | null | "sold_out" {
  const total = product?.editionTotal ?? edition?.total;
  if (total === undefined) return null;
  const number =
    product !== undefined && product.editionTotal !== null
      ? draft.takeEditionNumber(product, total)
      : draft.takeSeriesNumber(edition?.series ?? "", total);
  return number === undefined ? "sold_out" : { number, total };
}

function snapshotOf(product: CatalogueProduct, sku: string): ProductSnapshot {
  const variant = product.variants.find((candidate) => candidate.sku === sku);
  return { id: product.id, title: product.title, variant: variant?.title ?? "", sku };
}

function toResult(outcome: "issued" | "already_issued", certificate: Certificate): IssueResult {
  return { outcome, certificateId: certificate.id, serial: formatSerial(certificate.serial) };
}
