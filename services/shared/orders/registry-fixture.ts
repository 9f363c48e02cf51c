import type { ImportSummary, IssueResult } from "./import-tally.ts";
import type { OrderUnitItem } from "./order-unit-row.ts";

/** For tests: a registry that issues each order unit once. @param answer overrides the result of an unissued item */
export function registryFixture(answer: (item: OrderUnitItem) => IssueResult | null = () => null) {
  const issued = new Set<string>();
  const batches: number[] = [];
  async function issue(items: readonly OrderUnitItem[]): Promise<IssueResult[]> {
    batches.push(items.length);
    return items.map((item) => {
      const key = JSON.stringify([item.order.id, item.order.line, item.order.unit]);
      if (issued.has(key)) return { outcome: "already_issued" };
      const special = answer(item);
      if (special !== null) return special;
      issued.add(key);
      return { outcome: "issued" };
    });
  }
  return { issue, batches };
}

/** For tests: the summary of an import without rows. */
export const emptySummary: ImportSummary = {
  rows: 0,
  orders: 0,
  units: 0,
  issued: 0,
  alreadyIssued: 0,
  invalid: 0,
  soldOut: 0,
  skipped: { notPaid: 0, refunded: 0, cancelled: 0 },
  withdrawn: { found: 0, revoked: 0 },
  unusable: 0,
};
