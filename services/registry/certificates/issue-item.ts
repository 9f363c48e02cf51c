import { isEmailAddress } from "#shared/email/email-address.ts";
import type { OrderReference, Person, ProductSnapshot } from "./certificate.ts";

/** The unit of an order line that a certificate stands for. */
export interface OrderUnit extends OrderReference {
  /** The line's id or place in the order. */
  readonly line: string;
  /** Which of the line's units, from 1. */
  readonly unit: number;
}

/** One certificate to issue. */
export interface IssueItem {
  readonly product: ProductSnapshot;
  readonly buyer: Person;
  /** Null for a certificate issued by hand. */
  readonly order: OrderUnit | null;
  readonly expiresAt: Date | null;
}

/** A rule that an item breaks. */
export interface FieldProblem {
  /** As `buyer.email`. */
  readonly field: string;
  /** A sentence that begins with the field's name. */
  readonly message: string;
}

interface TextRule {
  readonly field: string;
  readonly value: string;
  readonly lengthMin: number;
  readonly lengthMax: number;
}

const unitMax = 10_000;
// What RFC 3339 can write: years of four digits.
const dateMin = new Date("0001-01-01T00:00:00.000Z");
const dateMax = new Date("9999-12-31T23:59:59.999Z");

/** The first rule that an item breaks (the limits of proto/registry/v1/issuing_service.proto), or undefined. */
export function findItemProblem(item: IssueItem): FieldProblem | undefined {
  const { product, buyer, order, expiresAt } = item;
  const problem =
    findProductProblem(product, "product") ??
    findPersonProblem(buyer, { name: "buyer.name", email: "buyer.email" });
  if (problem !== undefined) return problem;
  // Asked this way round, so that an invalid date is none of them.
  if (expiresAt !== null && !(expiresAt >= dateMin && expiresAt <= dateMax))
    return broken("expires_at", "is not a date of the years 1 to 9999");
  return order === null ? undefined : findOrderProblem(order);
}

/**
 * The first rule that a product breaks, or undefined.
 *
 * @param path what stands before the field's name, as `product`
 */
export function findProductProblem(product: ProductSnapshot, path: string): FieldProblem | undefined {
  return findTextProblem([
    { field: `${path}.id`, value: product.id, lengthMin: 0, lengthMax: 64 },
    { field: `${path}.title`, value: product.title, lengthMin: 1, lengthMax: 255 },
    { field: `${path}.variant`, value: product.variant, lengthMin: 0, lengthMax: 255 },
    { field: `${path}.sku`, value: product.sku, lengthMin: 0, lengthMax: 255 },
  ]);
}

/** The first rule that a person breaks, under the caller's names for the fields, or undefined. */
export function findPersonProblem(
  { name, email }: Person,
  fields: Readonly<Record<keyof Person, string>>,
): FieldProblem | undefined {
  const problem = findTextProblem([
    { field: fields.name, value: name, lengthMin: 1, lengthMax: 255 },
    { field: fields.email, value: email, lengthMin: 3, lengthMax: 254 },
  ]);
  if (problem !== undefined || isEmailAddress(email)) return problem;
  return broken(fields.email, "is not an e-mail address");
}

/** The key under which an order unit gets its certificate once and for all. */
export function issueKeyOf(order: OrderUnit): string {
  return `${order.id}/${order.line}/${order.unit}`;
}

function findTextProblem(rules: readonly TextRule[]): FieldProblem | undefined {
  for (const rule of rules) {
    const problem = textProblem(rule);
    if (problem !== undefined) return broken(rule.field, problem);
  }
  return undefined;
}

/** What is wrong with a text, as the end of a sentence, or undefined. Lengths count UTF-16 code units. */
export function textProblem(rule: Omit<TextRule, "field">): string | undefined {
  if (rule.value.length < rule.lengthMin) return rule.lengthMin === 1 ? "is empty" : "is too short";
  if (rule.value.length > rule.lengthMax) return `is longer than ${rule.lengthMax} characters`;
  if (/\p{Cc}/u.test(rule.value)) return "holds a control character";
  return undefined;
}

function findOrderProblem(order: OrderUnit): FieldProblem | undefined {
  if (!/^\d{1,20}$/.test(order.id)) return broken("order.id", "is not 1 to 20 digits");
  if (!/^#\P{Cc}{1,63}$/u.test(order.name)) return broken("order.name", "is not '#' and 1 to 63 characters");
  if (!/^\P{Cc}{1,64}$/u.test(order.line)) return broken("order.line", "is not 1 to 64 characters");
  if (order.unit < 1 || order.unit > unitMax) return broken("order.unit", `is not 1 to ${unitMax}`);
  return undefined;
}

function broken(field: string, problem: string): FieldProblem {
  return { field, message: `${field} ${problem}` };
}
