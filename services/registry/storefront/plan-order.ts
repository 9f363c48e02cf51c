import { distinctReasons, type Reason, reason } from "#shared/reasons/reason.ts";
import type { RevocationCause } from "../certificates/revoke-certificate.ts";
import { erasedPerson } from "../persons/person-texts.ts";
import { assignCertificates, type OrderCertificate } from "./assign-certificates.ts";
import type { OrderLine, OrderSnapshot } from "./message.ts";
import { type OrderRecord, refundedUnits, unitsLeft } from "./order-record.ts";
import { dependOnTags, ruleFor, type StorefrontRule } from "./rules.ts";

/** An order line whose units are to get certificates, with the rule that applies to it. */
export interface LineToIssue {
  readonly line: OrderLine;
  readonly rule: StorefrontRule;
  readonly unitCount: number;
  /** The units, which can be many more than {@link OrderPlan.issueMax}. Can be read once. */
  readonly units: Iterable<number>;
}

/** A certificate that is to be revoked. */
interface Revocation {
  readonly certificateId: string;
  readonly cause: RevocationCause;
  /** If empty, the default reason for the cause is used. */
  readonly reason: string;
}

/** The difference between the certificates that an order should have and those that it has. */
interface OrderPlan {
  readonly issue: readonly LineToIssue[];
  /** Maximum number of certificates to issue. Units that get none, for example of a sold-out edition, do not count. */
  readonly issueMax: number;
  readonly revoke: readonly Revocation[];
  /** Why certificates are not issued, and which match no line; for the merchant. Without {@link limitNotes}. */
  readonly notes: readonly Reason[];
  /** The units of the order that have or should get a certificate. */
  readonly total: { readonly held: number; readonly missing: number; readonly title: string };
  /** Ids of the products that get no certificates under the rules, or not yet, and may get some with other tags. */
  readonly waitsFor: readonly string[];
}

/** The rules and product tags that determine which units of an order get certificates. */
export interface OrderPolicy {
  readonly rules: readonly StorefrontRule[];
  /** The tags that the platform has reported, by product id; empty if no rule selects by tag. */
  readonly tags: ReadonlyMap<string, readonly string[]>;
}

/**
 * Maximum number of certificates of an order for which the connector issues more. The platform decides on an order's
 * quantities: they must not decide how long a replica plans.
 */
export const certificatesPerOrderMax = 10_000;

const nothing: OrderPlan = {
  issue: [],
  issueMax: 0,
  revoke: [],
  notes: [],
  total: { held: 0, missing: 0, title: "" },
  waitsFor: [],
};

/**
 * Returns the note for an order with more units than it gets certificates for.
 *
 * @param refusedCount the units that get none for another reason, such as a sold-out edition, and take no room
 */
export function limitNotes({ total }: Pick<OrderPlan, "total">, refusedCount: number): readonly Reason[] {
  const { held, missing, title } = total;
  const max = Math.max(certificatesPerOrderMax, held);
  const quantity = held + missing - refusedCount;
  return quantity > max ? [reason("units_over_limit", { max, quantity, title })] : [];
}

/**
 * Compares the certificates that an order should have with those that it has. Each unit that was ever ordered gets at
 * most one certificate, in whatever sequence the states of the order arrive. A unit whose certificate was revoked does
 * not get another one. A refund, cancellation or edit of the order revokes a certificate at most once: if a person then
 * reactivates it, it still counts for its unit, and only a person can revoke it again.
 *
 * @param certificates all certificates of the order, however they were issued
 */
export function planOrder(
  record: OrderRecord,
  certificates: readonly OrderCertificate[],
  policy: OrderPolicy,
): OrderPlan {
  const { order } = record;
  if (order === null) return nothing;
  const { byLine, leftover: unmatched } = assignCertificates(order.lines, certificates);
  const leftover = unmatched.filter(isRevocable);
  const withdrawal = withdrawalOf(order);
  const refunded = refundedUnits(record);
  const lines = order.lines.map((line) => {
    const left = withdrawal === undefined ? unitsLeft(line, refunded.get(line.id) ?? 0) : 0;
    const plan = planLine(order, line, { left, certificates: byLine.get(line.id) ?? [], policy });
    const cause = withdrawal ?? causeOfReduction(refunded.has(line.id));
    return { ...plan, revoke: plan.revoke.map(({ id }): Revocation => ({ certificateId: id, ...cause })) };
  });
  const undecided = lines.flatMap((line) => line.undecided);
  const missing = lines.reduce((total, line) => total + line.missing, 0);
  const problem = missing + undecided.length === 0 ? undefined : reasonNotToIssue(order);
  const room = Math.max(0, certificatesPerOrderMax - certificates.length);
  return {
    issue: problem === undefined ? lines.flatMap(lineToIssue) : [],
    issueMax: problem === undefined ? Math.min(missing, room) : 0,
    revoke: [
      ...lines.flatMap((line) => line.revoke),
      ...(withdrawal === undefined ? [] : leftover.map(({ id }) => ({ certificateId: id, ...withdrawal }))),
    ],
    notes: [
      ...(problem === undefined || problem === "not paid" ? [] : [problem]),
      ...leftoverNotes(withdrawal === undefined ? leftover.length : 0),
      ...lines.flatMap(({ notes }) => notes),
      ...(problem === undefined ? distinctReasons(undecided) : []),
    ],
    total: { held: certificates.length, missing: problem === undefined ? missing : 0, title: order.name },
    waitsFor: dependOnTags(policy.rules) ? [...new Set(lines.flatMap((line) => line.waitsFor))] : [],
  };
}

interface LineState {
  /** Number of units neither refunded nor removed from the order; 0 if the order is cancelled, voided or refunded. */
  readonly left: number;
  /** The line's certificates; the last ones are revoked first. */
  readonly certificates: readonly OrderCertificate[];
  readonly policy: OrderPolicy;
}

/** What a line contributes to the plan of its order. */
interface LinePlan {
  readonly line: OrderLine;
  /** Undefined if no rule selects the line, or it is not known which one does. */
  readonly rule: StorefrontRule | undefined;
  readonly certificates: readonly OrderCertificate[];
  /** Number of units that are to get a certificate. */
  readonly missing: number;
}

function planLine(order: OrderSnapshot, line: OrderLine, { left, certificates, policy }: LineState) {
  // An expired certificate can stand for a unit that was refunded, so that a valid one need not be revoked.
  const valid = certificates.filter(isRevocable);
  // The certificates that count for a unit: all except revoked ones that a refund, cancellation or edit withdrew.
  const standing = certificates.filter(({ status, wasWithdrawn }) => status !== "revoked" || !wasWithdrawn);
  const excess = Math.max(0, valid.length - left);
  const revoke = excess === 0 ? [] : valid.slice(-excess);
  // If the product id is empty, the product was deleted or is not in the catalogue: its tags will not be reported.
  const tags = line.productId === "" ? [] : policy.tags.get(line.productId);
  const decision = ruleFor(policy.rules, { line, tags, orderedAtMs: order.createdAtMs });
  const rule = decision === "undecided" ? undefined : decision;
  const waitsFor = rule === undefined && line.productId !== "" ? [line.productId] : [];
  const uncovered = left - standing.length;
  const wanted = Math.max(0, Math.min(uncovered, line.quantity - certificates.length));
  const notes =
    rule !== undefined && uncovered > wanted
      ? [reason("units_with_revoked_certificate", { count: uncovered - wanted, title: line.title })]
      : [];
  const undecided = decision === "undecided" && wanted > 0 ? [reason("tags_unknown", { title: line.title })] : [];
  return { line, rule, certificates, missing: rule === undefined ? 0 : wanted, revoke, notes, undecided, waitsFor };
}

function lineToIssue(plan: LinePlan): LineToIssue[] {
  const { line, rule, missing } = plan;
  return rule === undefined || missing === 0 ? [] : [{ line, rule, unitCount: missing, units: missingUnits(plan) }];
}

function* missingUnits({ line, certificates, missing }: LinePlan): Generator<number> {
  const used = new Set(certificates.filter(({ line: id }) => id === line.id).map(({ unit }) => unit));
  for (let unit = 1, found = 0; found < missing; unit += 1)
    if (!used.has(unit)) {
      found += 1;
      yield unit;
    }
}

function withdrawalOf({ isCancelled, payment }: OrderSnapshot): Omit<Revocation, "certificateId"> | undefined {
  if (isCancelled || payment === "voided") return { cause: "order_cancelled", reason: "" };
  return payment === "refunded" ? { cause: "refund", reason: "" } : undefined;
}

function causeOfReduction(isRefunded: boolean): Omit<Revocation, "certificateId"> {
  return isRefunded ? { cause: "refund", reason: "" } : { cause: "order_cancelled", reason: "Removed from the order" };
}

function reasonNotToIssue({ payment, isTest, buyer }: OrderSnapshot): Reason | "not paid" | undefined {
  if (payment !== "paid") return "not paid";
  if (isTest) return reason("test_order");
  if (buyer.email === "" || buyer.email === erasedPerson.email) return reason("order_without_email");
  return undefined;
}

function leftoverNotes(count: number): readonly Reason[] {
  return count === 0 ? [] : [reason("certificates_without_line", { count })];
}

function isRevocable({ status, wasWithdrawn }: OrderCertificate): boolean {
  return status === "active" && !wasWithdrawn;
}
