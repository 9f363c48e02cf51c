import { expect, test } from "vitest";
import { IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { expectNothingChanged } from "../harness/expect-nothing-changed.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { listAll } from "../harness/public-certificate.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const replica = await openTestRegistry({ database: registry.database });
const { admin, issuing } = registry;

/** Creates or replaces a product with the SKUs `<id>-S` and `<id>-M` in a store's catalogue. */
async function putProduct(storeId: string, id: string, editionTotal: number, title = `Product ${id}`) {
  const variants = [
    { sku: `${id}-S`, title: "Small" },
    { sku: `${id}-M`, title: "Medium" },
  ];
  await admin.putProducts({ products: [{ id, title, variants, editionTotal }] }, inStore(storeId));
}

const itemWithSku = (sku: string) => issueItem({ product: { id: "given", title: "Given", variant: "Given", sku } });

async function issueWithSku(storeId: string, sku: string) {
  const { results } = await issuing.issueCertificates({ items: [itemWithSku(sku)] }, inStore(storeId));
  return results[0];
}

test("uses the catalogue's product if the catalogue has the item's SKU, otherwise the product in the request", async () => {
  const storeId = await createTestStore(registry);
  await putProduct(storeId, "p1", 0);
  const items = [itemWithSku("p1-M"), itemWithSku("unknown"), itemWithSku("")];
  await issuing.issueCertificates({ items }, inStore(storeId));
  const listed = await listAll(registry, storeId);
  expect(listed.map(({ product }) => product)).toEqual([
    { id: "p1", title: "Product p1", variant: "Medium", sku: "p1-M" },
    { id: "given", title: "Given", variant: "Given", sku: "unknown" },
    { id: "given", title: "Given", variant: "Given", sku: "" },
  ]);
  expect(listed.map(({ edition }) => edition)).toEqual([null, null, null]);
});

test("does not use another store's catalogue", async () => {
  const other = await createTestStore(registry);
  await putProduct(other, "p1", 0);
  const storeId = await createTestStore(registry);
  await issueWithSku(storeId, "p1-M");
  expect((await listAll(registry, storeId))[0]?.product.title).toBe("Given");
});

test("keeps a certificate's product when the catalogue changes", async () => {
  const storeId = await createTestStore(registry);
  await putProduct(storeId, "p1", 10);
  await issueWithSku(storeId, "p1-S");
  await putProduct(storeId, "p1", 20, "New title");
  await issueWithSku(storeId, "p1-S");
  expect(await listAll(registry, storeId)).toMatchObject([
    { product: { title: "Product p1" }, edition: { number: 1, total: 10 } },
    { product: { title: "New title" }, edition: { number: 2, total: 20 } },
  ]);
});

test("assigns each of an edition's 50 numbers once among 64 concurrent calls, and reports the other items as sold out", async () => {
  const storeId = await createTestStore(registry);
  await putProduct(storeId, "p1", 50);
  const calls = Array.from({ length: 64 }, (_, index) =>
    (index % 2 === 0 ? registry : replica).issuing.issueCertificates(
      {
        items: [itemWithSku(index % 3 === 0 ? "p1-S" : "p1-M")],
      },
      inStore(storeId),
    ),
  );
  const results = (await Promise.all(calls)).flatMap((answer) => answer.results);

  const soldOut = results.filter(({ outcome }) => outcome === IssueOutcome.SOLD_OUT);
  expect(soldOut).toHaveLength(14);
  for (const result of soldOut) {
    expect(result).toMatchObject({ certificateId: "", serial: "", field: "product.sku" });
    expect(result.reason?.text).toContain("sold out");
  }
  const listed = await listAll(registry, storeId);
  const upTo50 = Array.from({ length: 50 }, (_, index) => index + 1);
  expect(listed.map(({ edition }) => edition?.number)).toEqual(upTo50);
  expect(listed.map(({ serial }) => Number(serial))).toEqual(upTo50);
});

test("assigns the edition numbers of a call in the order of its items", async () => {
  const storeId = await createTestStore(registry);
  await putProduct(storeId, "p1", 3);
  const items = ["p1-M", "p1-S", "", "p1-S", "p1-S"].map(itemWithSku);
  const { results } = await issuing.issueCertificates({ items }, inStore(storeId));
  const { ISSUED, SOLD_OUT } = IssueOutcome;
  expect(results.map(({ outcome }) => outcome)).toEqual([ISSUED, ISSUED, ISSUED, ISSUED, SOLD_OUT]);
  expect((await listAll(registry, storeId)).map(({ edition }) => edition?.number)).toEqual([1, 2, undefined, 3]);
});

test("issues more certificates, up to the new total, when a sold-out edition is enlarged", async () => {
  const storeId = await createTestStore(registry);
  await putProduct(storeId, "p1", 1);
  await issueWithSku(storeId, "p1-S");
  expect((await issueWithSku(storeId, "p1-S"))?.outcome).toBe(IssueOutcome.SOLD_OUT);
  await putProduct(storeId, "p1", 2);
  expect((await issueWithSku(storeId, "p1-S"))?.outcome).toBe(IssueOutcome.ISSUED);
  expect((await issueWithSku(storeId, "p1-S"))?.outcome).toBe(IssueOutcome.SOLD_OUT);
});

test("refuses an edition smaller than the number of certificates already issued, and changes nothing", async () => {
  const storeId = await createTestStore(registry);
  await putProduct(storeId, "p1", 5);
  for (let count = 0; count < 3; count++) await issueWithSku(storeId, "p1-S");
  await expectNothingChanged(registry.database, async () => {
    const products = ["p0", "p1"].map((id) => ({
      id,
      title: "New",
      variants: [{ sku: `${id}-S`, title: "" }],
      editionTotal: 2,
    }));
    await expect(admin.putProducts({ products }, inStore(storeId))).rejects.toThrow(
      "[invalid_argument] products[1].edition_total is less than the number of certificates already issued (3)",
    );
  });
  await putProduct(storeId, "p1", 3);
  expect((await issueWithSku(storeId, "p1-S"))?.outcome).toBe(IssueOutcome.SOLD_OUT);
});

test("refuses a SKU of another product, names both products and the SKU, and changes nothing", async () => {
  const storeId = await createTestStore(registry);
  await putProduct(storeId, "p1", 0);
  const product = (id: string, sku: string) => ({ id, title: "New", variants: [{ sku, title: "" }], editionTotal: 0 });
  await expectNothingChanged(registry.database, async () => {
    const stored = [product("p0", "p0-S"), { ...product("p2", "p2-S"), variants: [{ sku: "p2-S" }, { sku: "p1-M" }] }];
    await expect(admin.putProducts({ products: stored }, inStore(storeId))).rejects.toThrow(
      "products[1].variants[1].sku is invalid: The SKU p1-M of product p2 belongs to product p1.",
    );
    const together = [product("p3", "p3-S"), product("p4", "p3-S")];
    await expect(admin.putProducts({ products: together }, inStore(storeId))).rejects.toThrow(
      "products[1].variants[0].sku is invalid: The SKU p3-S of product p4 belongs to product p3.",
    );
  });
});

test("names the product that has the SKU, not one that gives up another SKU in the same request", async () => {
  const storeId = await createTestStore(registry);
  const product = (id: string, ...skus: string[]) => ({
    id,
    title: "New",
    variants: skus.map((sku) => ({ sku, title: "" })),
    editionTotal: 0,
  });
  await admin.putProducts({ products: [product("a", "x", "z"), product("c", "y")] }, inStore(storeId));
  const moved = [product("a", "z"), product("b", "x", "y")];
  await expect(admin.putProducts({ products: moved }, inStore(storeId))).rejects.toThrow(
    "The SKU y of product b belongs to product c.",
  );
});

test("accepts concurrent requests to two replicas that create the same product, and stores it once", async () => {
  const storeId = await createTestStore(registry);
  for (let round = 0; round < 20; round++) {
    const product = {
      id: `p${round}`,
      title: "Print",
      variants: [{ sku: `S-${round}`, title: "A3" }],
      editionTotal: 5,
    };
    await Promise.all(
      [registry, replica, registry, replica].map(({ admin }) =>
        admin.putProducts({ products: [product] }, inStore(storeId)),
      ),
    );
  }
  expect(await registry.database.collections.products.countDocuments({ "_id.store": storeId })).toBe(20);
});
