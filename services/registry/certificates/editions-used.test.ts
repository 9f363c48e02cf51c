import { expect, test } from "vitest";
import { draftFixture } from "./draft-fixture.ts";
import { editionsUsedAfter, productsAfter } from "./editions-used.ts";

const jacket = { id: "p1", title: "Alpine Jacket", editionTotal: 10, editionIssued: 4, variants: [] };
const poster = { ...jacket, id: "p2", editionIssued: 0 };
const products = new Map([
  ["AJ-M", jacket],
  ["AJ-L", jacket],
  ["POSTER", poster],
]);

test("treats the edition numbers of earlier previews as assigned, for each SKU of the product", () => {
  const after = productsAfter(products, new Map([["p1", 3]]));
  expect([...after].map(([sku, { editionIssued }]) => [sku, editionIssued])).toEqual([
    ["AJ-M", 7],
    ["AJ-L", 7],
    ["POSTER", 0],
  ]);
});

test("adds a preview's edition numbers to the count of earlier previews, once per product", () => {
  const used = new Map([["p1", 3]]);
  const seen = productsAfter(products, used);
  const draft = draftFixture({ products: seen });
  const take = (sku: string) => {
    const product = draft.productWithSku(sku);
    return product && draft.takeEditionNumber(product, 10);
  };
  expect(["AJ-M", "AJ-L", "AJ-M", "AJ-L", "POSTER"].map(take)).toEqual([8, 9, 10, undefined, 1]);
  const after = editionsUsedAfter(used, seen, draft.editionsIssued);
  expect(after).toEqual(new Map(Object.entries({ p1: 6, p2: 1 })));
});

test("keeps the counts of products that are not in the preview", () => {
  const used = new Map([["p9", 5]]);
  expect(editionsUsedAfter(used, products, new Map())).toEqual(used);
});
