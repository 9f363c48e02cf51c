import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { CatalogueProduct } from "../values/catalogue-product.ts";
import type { EditionNumber } from "../values/edition.ts";
import { newId } from "../values/identifiers.ts";
import type { Certificate, ProductSnapshot } from "./certificate.ts";
import type { CertificateRequest } from "./change-certificate.ts";
import type { ChangeQueue } from "./commit-queue.ts";
import { idempotent } from "./idempotent.ts";
import { type FieldProblem, findItemProblem, type IssueItem, issueKeyOf } from "./issue-item.ts";
import type { Change } from "./ledger.ts";
import { formatSerial } from "./serial.ts";
import type { Origin, StoreDraft } from "./store-draft.ts";

/** The result for one item. */
export type IssueResult =
  | { readonly outcome: "issued" | "already_issued"; readonly certificateId: string; readonly serial: string }
  | ({ readonly outcome: "invalid" | "sold_out" } & FieldProblem);

/** Options of a request to issue certificates. */
export interface IssueRequest extends Pick<CertificateRequest, "idempotencyKey" | "actor"> {
  /** Whether the items come from an import; recorded in the history. */
  readonly isImport: boolean;
}

/**
 * Issues certificates in one transaction, in the order of the items. An invalid item is reported and does not affect the
 * others; an order unit that already has a certificate keeps it (INTERFACE.md §3).
 */
export function issueCertificates(
  queue: ChangeQueue,
  storeId: string,
  items: readonly IssueItem[],
  request: IssueRequest,
): Promise<IssueResult[]> {
  const change = idempotent(request.idempotencyKey, ["issue", items], issueChange(items, request));
  return queue.submit(storeId, change);
}

/** Creates the change that issues the items, without an idempotency key; a dry run previews this change. */
export function issueChange(
  items: readonly IssueItem[],
  request: Pick<IssueRequest, "actor" | "isImport">,
): Change<IssueResult[]> {
  const checked = items.map((item) => ({ item, problem: findItemProblem(item) }));
  const valid = checked.filter(({ problem }) => problem === undefined).map(({ item }) => item);
  return {
    needs: {
      issueKeys: valid.flatMap(({ order }) => (order === null ? [] : [issueKeyOf(order)])),
      skus: valid.flatMap(({ product }) => (product.sku === "" ? [] : [product.sku])),
    },
    maxTimestamps: valid.length,
    maxSerials: valid.length,
    decide: (draft) =>
      checked.map(({ item, problem }) =>
        problem === undefined ? issueOne(item, draft, originOf(item, request)) : { outcome: "invalid", ...problem },
      ),
  };
}

function issueOne(item: IssueItem, draft: StoreDraft, origin: Origin): IssueResult {
  const issueKey = item.order === null ? null : issueKeyOf(item.order);
  const existing = issueKey === null ? undefined : draft.certificateIssuedFor(issueKey);
  if (existing !== undefined) return toResult("already_issued", existing);
  const listed = item.product.sku === "" ? undefined : draft.productWithSku(item.product.sku);
  const edition = listed === undefined ? null : takeEdition(listed, draft);
  if (edition === "sold_out") {
    const message = `The edition of ${listed?.title} is sold out.`;
    return { outcome: "sold_out", field: "product.sku", message };
  }
  const issuedAt = draft.nextTimestamp();
  const certificate: Certificate = {
    id: newId("crt"),
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
  };
  draft.insert(certificate, EventType.ISSUED, origin);
  return toResult("issued", certificate);
}

function originOf(item: IssueItem, { actor, isImport }: Pick<IssueRequest, "actor" | "isImport">): Origin {
  return { cause: isImport ? "import" : item.order === null ? "manual" : "order", actor };
}

function takeEdition(product: CatalogueProduct, draft: StoreDraft): EditionNumber | null | "sold_out" {
  if (product.editionTotal === null) return null;
  const number = draft.takeEditionNumber(product, product.editionTotal);
  return number === undefined ? "sold_out" : { number, total: product.editionTotal };
}

function snapshotOf(product: CatalogueProduct, sku: string): ProductSnapshot {
  const variant = product.variants.find((candidate) => candidate.sku === sku);
  return { id: product.id, title: product.title, variant: variant?.title ?? "", sku };
}

function toResult(outcome: "issued" | "already_issued", certificate: Certificate): IssueResult {
  return { outcome, certificateId: certificate.id, serial: formatSerial(certificate.serial) };
}
