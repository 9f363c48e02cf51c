import { createReadStream, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { importOrders } from "../../../services/cli/orders/import-orders.ts";
import type { ImportProblem, IssueResult } from "../../../services/cli/orders/import-tally.ts";
import type { OrderUnitItem } from "../../../services/cli/orders/order-unit-row.ts";
import { CATALOGUE } from "./catalogue.ts";
import { EXPORT_LAYOUT } from "./export-layout.ts";
import { ORDERS_EXPORT, ordersExport } from "./make-orders-export.ts";

const committed = readFileSync(ORDERS_EXPORT, "utf8");

/** Issues each unit once and counts editions, as the registry does with the demo catalogue. */
function demoRegistry() {
  const productOfSku = new Map(
    CATALOGUE.flatMap((product) => product.variants.map(({ sku }) => [sku, product])),
  );
  const issued = new Map<string, string | undefined>();
  return async (items: readonly OrderUnitItem[]): Promise<IssueResult[]> =>
    items.map(({ product: { sku }, order: { id, line, unit } }) => {
      const product = productOfSku.get(sku);
      const key = `${id}/${line}/${unit}`;
      if (issued.has(key)) return { outcome: "alreadyIssued" };
      const sold = [...issued.values()].filter((each) => each === product?.id).length;
      if (product !== undefined && product.edition_total > 0 && sold >= product.edition_total) {
        return { outcome: "soldOut" };
      }
      issued.set(key, product?.id);
      return { outcome: "issued" };
    });
}

describe("the demo order export", () => {
  test("is the file that its script makes", () => {
    expect(committed === ordersExport()).toBe(true);
  });

  test("looks like a real one: byte order mark, CRLF, all columns, quoted line breaks, names of many scripts", () => {
    expect(committed.startsWith(`\ufeff${EXPORT_LAYOUT.join(",")}\r\n#1001,`)).toBe(true);
    expect(EXPORT_LAYOUT).toHaveLength(79);
    expect(committed).toMatch(/"[^"\r\n]+\n[^"]+"/);
    expect(committed).toMatch(/\p{Script=Han}/u);
    expect(committed).toContain("O'Hallam");
    expect(committed).toMatch(/,[A-Z]\w+\.[A-Z]\w+@|,\w+\+shop@/);
  });

  test("names no reachable address: all domains are reserved ones", () => {
    const domains = new Set([...committed.matchAll(/@([^,"\s]+)/g)].map(([, domain]) => domain));
    expect(domains.size).toBeGreaterThan(3);
    for (const domain of domains) expect(domain).toMatch(/^(?:example\.(?:com|org|net)|[a-z]+\.example)$/);
  });

  test("imports to these sums, and once more to the same without a new certificate", async () => {
    const problems: ImportProblem[] = [];
    const issue = demoRegistry();
    const sums = {
      rows: 710,
      orders: 449,
      units: 880,
      invalid: 0,
      soldOut: 3,
      skipped: { notPaid: 45, cancelled: 29 },
      unusable: 29,
    };
    const onProblem = (problem: ImportProblem) => problems.push(problem);
    const first = await importOrders({ source: createReadStream(ORDERS_EXPORT), issue, onProblem });
    expect(first).toEqual({ ...sums, issued: 877, alreadyIssued: 0 });
    expect(problems).toHaveLength(32);
    expect(new Set(problems.map(({ column }) => column))).toEqual(
      new Set([
        "Financial Status",
        "Id",
        "Email",
        "Lineitem quantity",
        "Billing Name",
        "Paid at",
        "Name",
        null,
        "Lineitem name",
        "Lineitem sku",
      ]),
    );
    const second = await importOrders({ source: createReadStream(ORDERS_EXPORT), issue });
    expect(second).toEqual({ ...sums, issued: 0, alreadyIssued: 877 });
  });
});
