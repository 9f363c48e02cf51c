import type { Certificate } from "../certificates/certificate.ts";
import { statusAt } from "../certificates/certificate.ts";
import { issueChange } from "../certificates/issue-certificates.ts";
import { type IssueItem, orderLineOf } from "../certificates/issue-item.ts";
import type { Change } from "../certificates/ledger.ts";
import { revocationChange } from "../certificates/revoke-certificate.ts";
import type { StoreDraft } from "../certificates/store-draft.ts";
import type { OrderCertificate } from "./assign-certificates.ts";
import type { OrderSnapshot } from "./message.ts";
import type { OrderRecord } from "./order-record.ts";
import { type OrderPlan, type OrderPolicy, planOrder, type UnitToIssue } from "./plan-order.ts";
import { editionSeriesOf } from "./rules.ts";

/** The result of {@link reconcileChange}. */
export interface Reconciliation extends Pick<OrderPlan, "notes" | "unmatchedProductIds"> {
  readonly issuedCount: number;
  readonly revokedCount: number;
  /** Whether certificates remain to be issued or revoked, because the change reached its limit. */
  readonly hasMore: boolean;
}

/** The actor that histories show for changes by the storefront connector. */
export const storefrontActor = "storefront";

const dayMs = 86_400_000;

/**
 * Creates the change that brings an order's certificates to the state that its record requires. The change reads the
 * certificates inside its transaction, so that neither a concurrent import nor another replica can cause a second
 * certificate for a unit.
 *
 * @param actionsMax maximum number of certificates to issue and revoke, together
 */
export function reconcileChange(record: OrderRecord, policy: OrderPolicy, actionsMax: number): Change<Reconciliation> {
  const { order } = record;
  const orderIds = order === null ? [] : [order.id];
  const lines = order?.lines ?? [];
  return {
    needs: {
      orderIds,
      skus: lines.flatMap(({ sku }) => (sku === "" ? [] : [sku])),
      editionSeries: lines.flatMap((line) => policy.rules.map((rule) => editionSeriesOf(rule, line))),
    },
    maxTimestamps: actionsMax,
    maxSerials: actionsMax,
    decide: (draft) => decide(draft, { record, order, policy, actionsMax }),
  };
}

/** Returns the certificates of an order as {@link planOrder} needs them. */
export function orderCertificatesOf(certificates: readonly Certificate[], now: Date): OrderCertificate[] {
  return certificates.map((certificate) => {
    const { id, product, wasWithdrawn } = certificate;
    const { sku, title, variant } = product;
    const status = statusAt(certificate, now);
    return { id, status, wasWithdrawn, sku, title, variant, ...orderLineOf(certificate.issueKey) };
  });
}

interface Decision {
  readonly record: OrderRecord;
  readonly order: OrderSnapshot | null;
  readonly policy: OrderPolicy;
  readonly actionsMax: number;
}

function decide(draft: StoreDraft, { record, order, policy, actionsMax }: Decision): Reconciliation {
  const existing = order === null ? [] : draft.certificatesOfOrder(order.id);
  const plan = planOrder(record, orderCertificatesOf(existing, draft.now), policy);
  const revoked = plan.revoke.slice(0, actionsMax);
  for (const { certificateId, cause, reason } of revoked)
    revocationChange({ certificateId, cause, reason, actor: storefrontActor }).decide(draft);
  const problems = new Set<string>();
  let issuedCount = 0;
  let triedCount = 0;
  for (const unit of plan.issue) {
    if (order === null || revoked.length + issuedCount === actionsMax) break;
    const problem = issueUnit(draft, itemOf(unit, order, draft.now));
    triedCount += 1;
    if (problem === undefined) issuedCount += 1;
    else problems.add(problem);
  }
  return {
    issuedCount,
    revokedCount: revoked.length,
    hasMore: revoked.length + triedCount < plan.revoke.length + plan.issue.length,
    notes: [...plan.notes, ...problems],
    unmatchedProductIds: plan.unmatchedProductIds,
  };
}

/** @returns why the unit gets no certificate; undefined if it got one */
function issueUnit(draft: StoreDraft, item: IssueItem): string | undefined {
  const results = issueChange([item], { actor: storefrontActor, isImport: false }).decide(draft);
  if (!Array.isArray(results)) throw new Error("the change reserved too few timestamps");
  const [result] = results;
  return result !== undefined && "message" in result ? sentenceOf(result.message) : undefined;
}

function itemOf({ line, unit, rule }: UnitToIssue, order: OrderSnapshot, now: Date): IssueItem {
  const { id, productId, title, variant, sku } = line;
  const { editionTotal, validDays } = rule;
  return {
    product: { id: productId, title, variant, sku },
    buyer: { name: order.buyer.name, email: order.buyer.email },
    order: { id: order.id, name: order.name, line: id, unit },
    expiresAt: validDays === null ? null : new Date(now.getTime() + validDays * dayMs),
    ...(editionTotal !== null && { edition: { series: editionSeriesOf(rule, line), total: editionTotal } }),
  };
}

function sentenceOf(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
