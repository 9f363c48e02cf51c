import type { Certificate } from "./certificate.ts";
import { type IssueItem, orderLineOf } from "./issue-item.ts";
import type { StoreDraft } from "./store-draft.ts";

const positionDigitsMax = 6;

/**
 * Returns whether the line of an order unit is the position of an imported row among the rows of its order. Any other
 * line is the storefront platform's id of the order line, which has more digits.
 */
export function isRowPosition(line: string): boolean {
  return line.length <= positionDigitsMax && /^\d+$/.test(line);
}

/** Returns the ids of the orders whose certificates {@link findIssuedByLineId} needs. */
export function importedOrderIds(items: readonly IssueItem[]): string[] {
  return items.flatMap(({ order }) => (order !== null && isRowPosition(order.line) ? [order.id] : []));
}

/**
 * Finds a certificate that the storefront connector has issued for the product of an imported row. The issue key of
 * the certificate contains the id of the order line, which is not in the file. No second certificate may be issued for
 * the row: once the connector has issued certificates for a product of an order, only the connector issues more of
 * them.
 */
export function findIssuedByLineId({ order, product }: IssueItem, draft: StoreDraft): Certificate | undefined {
  if (order === null || !isRowPosition(order.line)) return undefined;
  return draft.certificatesOfOrder(order.id).find((issued) => {
    const { line } = orderLineOf(issued.issueKey);
    const isSameProduct =
      product.sku === "" ? nameOf(product) === nameOf(issued.product) : product.sku === issued.product.sku;
    return line !== "" && !isRowPosition(line) && isSameProduct;
  });
}

function nameOf({ title, variant }: IssueItem["product"]): string {
  return variant === "" ? title : `${title} - ${variant}`;
}
