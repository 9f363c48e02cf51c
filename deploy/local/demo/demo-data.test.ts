import { createReadStream, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { importOrders } from "#shared/orders/import-orders.ts";
import type { ImportProblem } from "#shared/orders/import-tally.ts";
import { registryFixture } from "#shared/orders/registry-fixture.ts";

interface Product {
  readonly id: string;
  readonly title: string;
  readonly variants: readonly { readonly sku: string }[];
  readonly edition_total: number;
}

const ordersFile = new URL("./orders_export.csv", import.meta.url);
const text = readFileSync(ordersFile, "utf8");
const catalogue: readonly Product[] = JSON.parse(readFileSync(new URL("./catalogue.json", import.meta.url), "utf8"));

/** Returns the `issue` function of a fake registry that enforces the edition sizes of the demo catalogue. */
function demoRegistry() {
  const productOfSku = new Map(catalogue.flatMap((product) => product.variants.map(({ sku }) => [sku, product])));
  const sold = new Map<string, number>();
  return registryFixture(({ product: { sku } }) => {
    const { id = "", edition_total: total = 0 } = productOfSku.get(sku) ?? {};
    const count = sold.get(id) ?? 0;
    if (total > 0 && count >= total) return { outcome: "sold_out" };
    sold.set(id, count + 1);
    return null;
  }).issue;
}

describe("the demo catalogue", () => {
  test("has unique product ids and SKUs and valid titles and editions", () => {
    const ids = catalogue.map(({ id }) => id);
    const skus = catalogue.flatMap(({ variants }) => variants.map(({ sku }) => sku));
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(skus).size).toBe(skus.length);
    for (const { id, title, variants, edition_total } of catalogue) {
      expect(id).toMatch(/^\d{13}$/);
      expect(title).toMatch(/^\S.{0,253}\S$/);
      expect(variants.length).toBeGreaterThanOrEqual(1);
      expect(variants.length).toBeLessThanOrEqual(6);
      for (const { sku } of variants) expect(sku).toMatch(/^[A-Z0-9-]+$/);
      expect(Number.isInteger(edition_total) && edition_total >= 0).toBe(true);
    }
  });

  test("has products with small editions, with large editions and without an edition", () => {
    expect(catalogue).toHaveLength(25);
    const totals = catalogue.map(({ edition_total }) => edition_total);
    expect(totals).toEqual(expect.arrayContaining([0, 12, 50, 200, 5_000]));
  });
});

describe("the demo order export", () => {
  test("has the byte order mark, line endings and 79 columns of a real export", () => {
    const [header = "", first = ""] = text.split("\r\n");
    expect(header).toMatch(/^\ufeffName,Email,Financial Status,Paid at,.*,Payment References$/);
    const columns = header.slice(1).split(",");
    expect(new Set(columns).size).toBe(79);
    expect(columns).toHaveLength(79);
    expect(first).toMatch(/^#1001,/);
  });

  test.each([
    ["a line break in a quoted cell", /"[^"\r\n]+\n[^"]+"/],
    ["a CRLF in a name", /,"Atelier Grünspecht &\r\nTöchter",/],
    ["names in Han script", /\p{Script=Han}/u],
    ["a name with an apostrophe", /O'Hallam/],
    ["an e-mail address with capitals", /,[A-Z]\w+\.[A-Z]\w+@/],
    ["an e-mail address with a tag", /,\w+\+shop@/],
    ["an e-mail address without @", /,ingrid\.nattviol\.example,/],
    ["an order id damaged by a spreadsheet", /,5\.61E\+12,/],
    ["an order name without #", /\r\n1208,/],
    ["a control character in a name", /,Øystein\p{Cc}Fjällgren,/u],
    ["quotation marks in an unquoted cell", /,Frame 12" x 16",/],
    ["a line item name longer than the limit", /,Engraving: (?:forever and ){25}ever,/],
    ["a line item with quantity 24 and no SKU", /,24,Postcard Set,[\d.]+,,,/],
    ["a quantity of zero", / \+0[12]00,0,/],
    ["two orders with the same name", /\r\n#1322,.*\r\n#1322,/s],
    ["an order whose rows are not adjacent", /\r\n#1013,.*\r\n#1014,.*\r\n#1013,/s],
    ["a truncated row", /\r\n#1252,(?:(?:"[^"]*"|[^",\r\n]*),){29}[^",\r\n]*\r\n/],
  ])("contains %s", (_, pattern) => {
    expect(pattern.test(text)).toBe(true);
  });

  test("contains only reserved e-mail domains (RFC 2606)", () => {
    const domains = new Set([...text.matchAll(/@([^,"\s]+)/g)].map(([, domain]) => domain));
    expect(domains.size).toBeGreaterThan(3);
    for (const domain of domains) expect(domain).toMatch(/^(?:example\.(?:com|org|net)|[a-z]+\.example)$/);
  });

  test("imports with the expected totals, and issues nothing when imported again", async () => {
    const problems: ImportProblem[] = [];
    const issue = demoRegistry();
    const sums = {
      rows: 231,
      orders: 138,
      units: 216,
      invalid: 0,
      soldOut: 3,
      skipped: { notPaid: 26, refunded: 19, cancelled: 29 },
      withdrawn: { found: 0, revoked: 0 },
      unusable: 29,
    };
    const onProblem = (problem: ImportProblem) => problems.push(problem);
    const first = await importOrders({ source: createReadStream(ordersFile), issue, onProblem });
    expect(first).toEqual({ ...sums, issued: 213, alreadyIssued: 0 });
    expect(problems).toHaveLength(32);
    const columns = ["Financial Status", "Id", "Email", "Lineitem quantity", "Billing Name", "Paid at"];
    expect(new Set(problems.map(({ column }) => column))).toEqual(
      new Set([...columns, "Name", null, "Lineitem name", "Lineitem sku"]),
    );
    const second = await importOrders({ source: createReadStream(ordersFile), issue });
    expect(second).toEqual({ ...sums, issued: 0, alreadyIssued: 213 });
  });
});
