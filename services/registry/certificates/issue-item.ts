import { isEmailAddress } from "#shared/email/email-address.ts";
import { badRequest } from "#shared/errors/service-error.ts";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import { type TextLimits, textLimits } from "#shared/text/text-limits.ts";
import { textProblem } from "../values/text-rules.ts";
import type { OrderReference, Person, ProductSnapshot } from "./certificate.ts";

/** The unit of an order line that a certificate is issued for. */
export interface OrderUnit extends OrderReference {
  /** Id or position of the line in the order. */
  readonly line: string;
  /** Number of the unit within the line, from 1. */
  readonly unit: number;
}

/** A certificate to issue; the buyer becomes the first owner. */
export interface IssueItem {
  readonly product: ProductSnapshot;
  readonly buyer: Person;
  /** Null for a certificate issued without an order. */
  readonly order: OrderUnit | null;
  readonly expiresAt: Date | null;
  /** The certificate's edition, unless the product has an edition in the catalogue. Default: none. */
  readonly edition?: { readonly series: string; readonly total: number };
}

/** A problem with a field of a request. */
export interface FieldProblem {
  /** Path of the field, such as `buyer.email`. */
  readonly field: string;
  readonly reason: Reason;
}

const maxUnit = 10_000;
// The range of google.protobuf.Timestamp. RFC 3339 requires four-digit years.
const minDate = new Date("0001-01-01T00:00:00.000Z");
const maxDate = new Date("9999-12-31T23:59:59.999Z");

/** Returns the problem with the first invalid field of an item, or undefined. */
export function findItemProblem(item: IssueItem): FieldProblem | undefined {
  const { product, buyer, order, expiresAt } = item;
  // With a SKU, only the catalogue shows whether a title is missing (findMissingTitle).
  const checked = product.title === "" && product.sku !== "" ? { ...product, title: "-" } : product;
  const problem =
    findProductProblem(checked, "product") ?? findPersonProblem(buyer, { name: "buyer.name", email: "buyer.email" });
  if (problem !== undefined) return problem;
  // Negated, so that an invalid date, with which every comparison is false, is rejected.
  if (expiresAt !== null && !(expiresAt >= minDate && expiresAt <= maxDate))
    return invalid("expires_at", reason("expiry_out_of_range"));
  return order === null ? undefined : findOrderProblem(order);
}

/** Returns the problem with a product that has no title and whose SKU the catalogue does not know, or undefined. */
export function findMissingTitle({ title }: ProductSnapshot): FieldProblem | undefined {
  return title === "" ? invalid("product.title", reason("text_empty")) : undefined;
}

/**
 * Returns why a certificate cannot be issued with the item's expiry, or undefined. The expiry must be later than the
 * time of issue and later than the database's time, which determines whether the certificate is shown as active or
 * expired.
 */
export function findExpiryProblem({ expiresAt }: IssueItem, issuedAt: Date, now: Date): FieldProblem | undefined {
  if (expiresAt === null || (expiresAt > issuedAt && expiresAt > now)) return undefined;
  return invalid("expires_at", reason("expiry_not_later"));
}

/** Returns the problem with the first invalid field of the product at a path, such as `products[3]`, or undefined. */
export function findProductProblem(product: ProductSnapshot, path: string): FieldProblem | undefined {
  return findTextProblem([
    [`${path}.id`, product.id, textLimits.productId],
    [`${path}.title`, product.title, textLimits.productTitle],
    [`${path}.variant`, product.variant, textLimits.productVariant],
    [`${path}.sku`, product.sku, textLimits.sku],
  ]);
}

/** Returns the problem with the first invalid field of a person, under the caller's field names, or undefined. */
export function findPersonProblem(
  { name, email }: Person,
  fields: Readonly<Record<keyof Person, string>>,
): FieldProblem | undefined {
  return findTextProblem([[fields.name, name, textLimits.personName]]) ?? findEmailProblem(email, fields.email);
}

/** Returns the problem with a string that is not a valid e-mail address, or undefined. */
export function findEmailProblem(email: string, field: string): FieldProblem | undefined {
  const problem = findTextProblem([[field, email, textLimits.email]]);
  return problem ?? (isEmailAddress(email) ? undefined : invalid(field, reason("email_invalid")));
}

/** @throws ServiceError `bad_request` naming the problem's field, unless the problem is undefined */
export function requireValid(problem: FieldProblem | undefined): void {
  if (problem !== undefined) throw badRequest(problem.field, problem.reason);
}

/** Returns the unique key that prevents a second certificate for an item, or null for an item without an order. */
export function issueKeyOf({ order }: IssueItem): string | null {
  return order === null ? null : `${order.id}/${order.line}/${order.unit}`;
}

/** Returns the line and the unit in the issue key of an order unit; an empty line and unit 0 for any other key. */
export function orderLineOf(issueKey: string | null): Pick<OrderUnit, "line" | "unit"> {
  const [, line = "", unit = "0"] = /^\d+\/(.*)\/(\d+)$/s.exec(issueKey ?? "") ?? [];
  return { line, unit: Number(unit) };
}

function findTextProblem(
  rules: readonly (readonly [field: string, value: string, limits: TextLimits])[],
): FieldProblem | undefined {
  for (const [field, value, limits] of rules) {
    const problem = textProblem(value, limits);
    if (problem !== undefined) return invalid(field, problem);
  }
  return undefined;
}

function findOrderProblem(order: OrderUnit): FieldProblem | undefined {
  const { orderId, orderName, orderLine } = textLimits;
  if (!/^\d+$/.test(order.id) || textProblem(order.id, orderId) !== undefined)
    return invalid("order.id", reason("order_id_invalid"));
  if (!order.name.startsWith("#")) return invalid("order.name", reason("order_name_without_hash"));
  if (order.unit < 1 || order.unit > maxUnit) return invalid("order.unit", reason("quantity_invalid"));
  return findTextProblem([
    ["order.name", order.name, orderName],
    ["order.line", order.line, orderLine],
  ]);
}

function invalid(field: string, why: Reason): FieldProblem {
  return { field, reason: why };
}
