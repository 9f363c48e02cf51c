import { distinctReasons, type Reason } from "#shared/reasons/reason.ts";
import { dayMs } from "#shared/time/day.ts";
import type { Certificate } from "../certificates/certificate.ts";
import { statusAt } from "../certificates/certificate.ts";
import { type IssueResult, issueChange } from "../certificates/issue-certificates.ts";
import { type IssueItem, orderLineOf } from "../certificates/issue-item.ts";
import type { Change } from "../certificates/ledger.ts";
import { revocationChange } from "../certificates/revoke-certificate.ts";
import type { StoreDraft } from "../certificates/store-draft.ts";
import type { OrderCertificate } from "./assign-certificates.ts";
import type { OrderSnapshot } from "./message.ts";
import type { OrderRecord } from "./order-record.ts";
import { type LineToIssue, limitNotes, planOrder } from "./plan-order.ts";
import { dependOnTags, editionSeriesOf, type StorefrontRule } from "./rules.ts";
import type { DueOrder, OrderOutcome, Storefront } from "./storefront-storage.ts";

interface Reconciliation extends OrderOutcome {
  readonly issuedCount: number;
  readonly revokedCount: number;
  /** Whether certificates remain to be issued or revoked, because the change reached its limit. */
  readonly hasMore: boolean;
}

/** The actor that histories show for changes by the storefront connector. */
export const storefrontActor = "storefront";

/** What a worker has read about the store before it took messages and orders. */
export type StoreInputs = Pick<Storefront, "rules" | "rulesVersion" | "erasures">;

/**
 * Creates the change that brings an order's certificates to the state that its record requires. The change reads the
 * certificates, the tags and the versions of its other inputs inside its transaction. It is therefore safe however long
 * ago a worker read the order: neither a concurrent import nor another replica can cause a second certificate for a
 * unit, and a worker that has been frozen changes nothing.
 *
 * A record can name a person who has been erased: a worker that read a message before an erasure rewrote it may store
 * the record later. A worker that began after the erasure finds the rewritten message, and applies it first.
 *
 * @param actionsMax maximum number of certificates to issue and revoke, together
 * @returns a change whose result is undefined, without any effect, if the record or the rules have changed since, or if
 *   an erasure has rewritten messages
 */
export function reconcileChange(
  { orderId, record, version }: Pick<DueOrder, "orderId" | "record" | "version">,
  { rules, rulesVersion, erasures }: StoreInputs,
  actionsMax: number,
): Change<Reconciliation | undefined> {
  const lines = record.order?.lines ?? [];
  return {
    isReconciliation: true,
    needs: {
      orderIds: [orderId],
      skus: lines.flatMap(({ sku }) => (sku === "" ? [] : [sku])),
      editionSeries: lines.flatMap((line) => rules.map((rule) => editionSeriesOf(rule, line))),
      storefrontOrderIds: [orderId],
      storefrontProductIds: dependOnTags(rules) ? productIdsOf(record) : [],
    },
    maxTimestamps: actionsMax,
    maxSerials: actionsMax,
    decide: (draft) => {
      const { storefront } = draft;
      const isCurrent =
        storefront.orderVersions.get(orderId) === version &&
        storefront.rulesVersion === rulesVersion &&
        draft.erasures === erasures;
      return isCurrent ? decide(draft, record, rules, actionsMax) : undefined;
    },
  };
}

/** Returns the ids of an order's products. */
export function productIdsOf({ order }: OrderRecord): readonly string[] {
  const ids = order?.lines.map(({ productId }) => productId) ?? [];
  return [...new Set(ids)].filter((id) => id !== "");
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

function decide(
  draft: StoreDraft,
  record: OrderRecord,
  rules: readonly StorefrontRule[],
  actionsMax: number,
): Reconciliation {
  const { order } = record;
  const existing = order === null ? [] : draft.certificatesOfOrder(order.id);
  const { tags } = draft.storefront;
  const plan = planOrder(record, orderCertificatesOf(existing, draft.now), { rules, tags });
  const revoked = plan.revoke.slice(0, actionsMax);
  for (const { certificateId, cause, reason } of revoked)
    revocationChange({ certificateId, cause, reason, actor: storefrontActor }).decide(draft);
  const issueMax = Math.min(plan.issueMax, actionsMax - revoked.length);
  const { issuedCount, refusedCount, problems, soldOut } =
    order === null ? nothingIssued : issueUnits(draft, order, plan.issue, issueMax);
  return {
    issuedCount,
    revokedCount: revoked.length,
    hasMore: revoked.length < plan.revoke.length || (issuedCount === issueMax && issueMax < plan.issueMax),
    notes: [...plan.notes, ...limitNotes(plan, refusedCount), ...distinctReasons(problems)],
    waitsFor: [...plan.waitsFor, ...soldOut],
  };
}

interface Issued {
  readonly issuedCount: number;
  /** Units of the lines that were refused. */
  readonly refusedCount: number;
  readonly problems: readonly Reason[];
  /** The keys of the products whose editions are sold out; see {@link editionKey}. */
  readonly soldOut: ReadonlySet<string>;
}

const nothingIssued: Issued = { issuedCount: 0, refusedCount: 0, problems: [], soldOut: new Set() };

function issueUnits(draft: StoreDraft, order: OrderSnapshot, lines: readonly LineToIssue[], issueMax: number): Issued {
  const problems: Reason[] = [];
  const soldOut = new Set<string>();
  let issuedCount = 0;
  let refusedCount = 0;
  for (const { line, rule, unitCount, units } of lines) {
    const issuedBefore = issuedCount;
    for (const unit of units) {
      if (issuedCount === issueMax) return { issuedCount, refusedCount, problems, soldOut };
      const result = issueUnit(draft, itemOf({ line, rule }, unit, order, validFrom(draft)));
      if ("reason" in result) {
        problems.push(result.reason);
        // A larger edition in the catalogue provides for further units. New rules make all orders due in any case.
        if (result.outcome === "sold_out" && line.sku !== "") soldOut.add(editionKey(line.sku));
        // The same holds for the line's other units, which can be a million.
        refusedCount += unitCount - (issuedCount - issuedBefore);
        break;
      }
      issuedCount += 1;
    }
  }
  return { issuedCount, refusedCount, problems, soldOut };
}

/** Returns the key under which an order waits for a larger edition of a product; see `OrderOutcome.waitsFor`. */
export function editionKey(sku: string): string {
  return `sku:${sku}`;
}

function issueUnit(draft: StoreDraft, item: IssueItem): IssueResult {
  const results = issueChange([item], { actor: storefrontActor, isImport: false }).decide(draft);
  const result = Array.isArray(results) ? results[0] : undefined;
  if (result === undefined) throw new Error("the change reserved too few timestamps");
  return result;
}

/**
 * Returns the time from which the validity of a rule's certificates counts. The time of issue is later than the
 * database's time if that was set back; an expiry that is not later than both would be refused.
 */
function validFrom({ now, upcomingTimestamp = now }: StoreDraft): Date {
  return upcomingTimestamp > now ? upcomingTimestamp : now;
}

function itemOf(
  { line, rule }: Pick<LineToIssue, "line" | "rule">,
  unit: number,
  order: OrderSnapshot,
  from: Date,
): IssueItem {
  const { id, productId, title, variant, sku } = line;
  const { editionTotal, validDays } = rule;
  return {
    product: { id: productId, title, variant, sku },
    buyer: { name: order.buyer.name, email: order.buyer.email },
    order: { id: order.id, name: order.name, line: id, unit },
    expiresAt: validDays === null ? null : new Date(from.getTime() + validDays * dayMs),
    ...(editionTotal !== null && { edition: { series: editionSeriesOf(rule, line), total: editionTotal } }),
  };
}
