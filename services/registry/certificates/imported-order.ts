import type { Certificate } from "./certificate.ts";
import { type IssueItem, orderLineOf } from "./issue-item.ts";
import type { StoreDraft } from "./store-draft.ts";

const positionDigitsMax = 6;

/**
 * Returns whether the line of an order unit is a row position, that is, the position of an imported row among the rows
 * of its order. The line ids of storefront platforms have more digits.
 */
function isRowPosition(line: string): boolean {
  return line.length <= positionDigitsMax && /^\d+$/.test(line);
}

/** Returns whether an issue key is that of an order unit whose line is not a row position. */
export function hasLineId(issueKey: string | null): boolean {
  const { line } = orderLineOf(issueKey);
  return line !== "" && !isRowPosition(line);
}

/** Returns the ids of the orders whose certificates {@link findIssuedByLineId} needs. */
export function importedOrderIds(items: readonly IssueItem[]): string[] {
  return items.flatMap(({ order }) => (order !== null && isRowPosition(order.line) ? [order.id] : []));
}

/**
 * Finds a certificate that the storefront connector has issued for the order and product of an imported row. The issue
 * key of the certificate contains the id of the order line, which is not in the file. An import must not issue a second
 * certificate for the row: once the connector has issued certificates for a product in an order, only the connector
 * issues more for that product in that order.
 */
export function findIssuedByLineId({ order, product }: IssueItem, draft: StoreDraft): Certificate | undefined {
  if (order === null || !isRowPosition(order.line)) return undefined;
  return draft.certificatesOfOrder(order.id).find((issued) => {
    const isSameProduct =
      product.sku === "" ? nameOf(product) === nameOf(issued.product) : product.sku === issued.product.sku;
    return isSameProduct && hasLineId(issued.issueKey);
  });
}

/** Returns the name of a product and its variant, as the line of an exported order shows it. */
export function nameOf({ title, variant }: Pick<IssueItem["product"], "title" | "variant">): string {
  return variant === "" ? title : `${title} - ${variant}`;
}
