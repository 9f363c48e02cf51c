import type { Certificate } from "../../services/registry/certificates/certificate.ts";
import type { StorefrontRule } from "../../services/registry/storefront/rules.ts";
import { productIds, type ShopOrder, skuOf } from "./simulated-shop.ts";

/** The final state outside the orders. */
interface FinalState {
  readonly rules: readonly StorefrontRule[];
  /** Undefined while the platform has not reported the product's tags. */
  readonly tagsOf: (productId: string) => readonly string[] | undefined;
  /** Whether the product's edition has numbers left. */
  readonly hasEditionLeft: (productId: string) => boolean;
  /** Whether the order has always been judged by these rules, tags and editions, so that none can be too many. */
  readonly isDecidable: boolean;
}

/**
 * Judges the certificates of an order by the final state alone, whatever happened before.
 *
 * @returns the differences from the certificates that the order should have
 */
export function differencesOf(order: ShopOrder, certificates: readonly Certificate[], final: FinalState): string[] {
  const { reported: state } = order;
  const known = new Set(productIds.map(skuOf));
  const strange = certificates.filter(({ product }) => !known.has(product.sku));
  return [
    ...strange.map(({ id }) => `${id} belongs to no product of the shop`),
    ...state.lines.flatMap((line) => {
      const own = certificates.filter(({ product }) => product.sku === line.sku);
      const problems = lineDifferences(order, line.productId, own, final);
      return problems.map((problem) => `order ${state.id}, product ${line.productId}: ${problem}`);
    }),
  ];
}

function lineDifferences(
  { reported: state, refunds, customer }: ShopOrder,
  productId: string,
  certificates: readonly Certificate[],
  final: FinalState,
): string[] {
  const line = state.lines.find((one) => one.productId === productId);
  if (line === undefined) return [`${certificates.length} certificates without a line`];
  const refunded = refunds
    .flatMap(({ units }) => units)
    .reduce((sum, { lineId, quantity }) => sum + (lineId === line.id ? quantity : 0), 0);
  const isWithdrawn = state.isCancelled || state.payment === "refunded" || state.payment === "voided";
  const left = isWithdrawn ? 0 : Math.max(0, Math.min(line.currentQuantity ?? line.quantity, line.quantity - refunded));
  const count = (isActive: boolean, wasWithdrawn: boolean) =>
    certificates.filter((one) => (one.status === "active") === isActive && one.wasWithdrawn === wasWithdrawn).length;
  const [active, revokedByHand] = [count(true, false), count(false, false)];
  const [reactivated, withdrawn] = [count(true, true), count(false, true)];
  const isWanted = !state.isTest && isSelected(final.rules, final.tagsOf(productId), productId);
  const isIssued =
    isWanted && state.payment === "paid" && !isWithdrawn && !customer.isErased && final.hasEditionLeft(productId);
  const covered = active + revokedByHand + reactivated;
  const missing = Math.min(left - covered, line.quantity - certificates.length);
  return [
    ...(active > left ? [`${active} valid certificates for ${left} units`] : []),
    ...(final.isDecidable && !isWanted && certificates.length > 0
      ? [`${certificates.length} certificates, although the rules select none of the units`]
      : []),
    ...(isIssued && missing > 0 ? [`${missing} certificates are missing for ${left} units`] : []),
    ...(withdrawn + reactivated > line.quantity - left
      ? [`${withdrawn + reactivated} certificates were revoked for ${line.quantity - left} units`]
      : []),
    ...(certificates.length > line.quantity ? [`${certificates.length} certificates for ${line.quantity} units`] : []),
  ];
}

/** Returns whether the rules select a product with no tags that it can have. */
export function isNeverSelected(rules: readonly StorefrontRule[], productId: string): boolean {
  const tagged = rules.flatMap(({ selector }) => (selector.by === "tag" ? [selector.tag] : []));
  return [undefined, [], tagged].every((tags) => !isSelected(rules, tags, productId));
}

// The simulation's rules: by product, by tag or for all products; the first one that matches applies.
function isSelected(rules: readonly StorefrontRule[], tags: readonly string[] | undefined, productId: string): boolean {
  for (const { selector, excludes } of rules) {
    if (selector.by === "tag" && tags === undefined) return false;
    const matches =
      selector.by === "all" ||
      (selector.by === "product" && selector.productId === productId) ||
      (selector.by === "tag" && (tags ?? []).includes(selector.tag));
    if (matches) return !excludes;
  }
  return false;
}
