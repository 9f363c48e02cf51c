import { reason } from "#shared/reasons/reason.ts";
import type { Certificate } from "./certificate.ts";
import { checkIdempotencyKey } from "./idempotent.ts";
import { type IssueItem, issueKeyOf } from "./issue-item.ts";
import type { Change } from "./ledger.ts";
import type { Refusal } from "./refusal.ts";

// Distinguishes these keys from the keys of order units, which begin with a digit.
const prefix = "import/";

/**
 * Returns the issue key of an item without an order. The key limits an import to one certificate per position, even if
 * a retry of the import divides its items into different batches.
 *
 * @param importKey the idempotency key of the import
 * @param position the item's position in the import, from 0
 * @throws ServiceError `bad_request` naming `idempotency_key` when the key is malformed
 */
export function importItemKey(importKey: string, position: bigint): string {
  checkIdempotencyKey(importKey);
  return `${prefix}${importKey}/${position}`;
}

/**
 * Adds a check to a change that issues items. Each part of the change is refused with `conflict`, before it writes
 * anything, when the product, buyer or expiry of an item with an import key differs from that of the certificate issued
 * at the same position. Without this check, a row inserted into a file would shift all later rows: rows at positions
 * already used would be reported as issued with another row's certificate, and a row moved to an unused position would
 * get a second certificate.
 */
export function refuseChangedItems<Result>(
  items: readonly IssueItem[],
  change: Change<Result>,
): Change<Result | Refusal> {
  const imported = items.filter(({ order, importKey }) => order === null && importKey !== undefined);
  if (imported.length === 0) return change;
  const { continueFrom } = change;
  return {
    ...change,
    // The progress of a part is never a refusal, hence the cast.
    ...(continueFrom && { continueFrom: (soFar) => refuseChangedItems(items, continueFrom(soFar as Result)) }),
    decide: (draft) => {
      for (const item of imported) {
        const key = issueKeyOf(item) ?? "";
        const existing = draft.certificateIssuedFor(key);
        if (existing !== undefined && !isIssuedFor(item, existing)) return conflictAt(key);
      }
      return change.decide(draft);
    },
  };
}

// Compares products with a SKU by the SKU only: the catalogue may have replaced the other fields when the certificate
// was issued.
function isIssuedFor({ buyer, expiresAt, product }: IssueItem, certificate: Certificate): boolean {
  const { originalBuyer, product: issued } = certificate;
  const isSameProduct =
    product.sku === issued.sku &&
    (product.sku !== "" ||
      (product.id === issued.id && product.title === issued.title && product.variant === issued.variant));
  return (
    isSameProduct &&
    buyer.name === originalBuyer.name &&
    buyer.email === originalBuyer.email &&
    expiresAt?.getTime() === certificate.expiresAt?.getTime()
  );
}

function conflictAt(key: string): Refusal {
  const position = key.slice(key.lastIndexOf("/") + 1);
  const why = reason("idempotency_key_of_other_item", { position });
  return { refused: "conflict", reason: why, field: "idempotency_key" };
}
