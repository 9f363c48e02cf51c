import { expect, test } from "vitest";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { newOrderId, orderPayload } from "../harness/storefront/order-payload.ts";
import { allProducts } from "../harness/storefront/rules.ts";
import { openStorefrontRig } from "./storefront-rig.ts";

const { registry, openShop } = await openStorefrontRig();
const { storefrontOrders } = registry.database.collections;
const line = 13_800_000_000_001;
const productId = 8_100_000_000_001;
const at = (second: number) => `2030-01-31T10:00:${String(second).padStart(2, "0")}-05:00`;

/** A unit of an order in an exported file. */
const fileUnit = (id: number, unit: number) =>
  issueItem({
    product: { id: "", title: "Alpine Jacket", variant: "M / Blue", sku: "AJ-M" },
    order: { id: String(id), name: "#1001", line: "1", unit },
  });
const importUnits = (storeId: string, id: number, units: readonly number[]) =>
  registry.issuing.issueCertificates(
    { items: units.map((unit) => fileUnit(id, unit)), isImport: true },
    inStore(storeId),
  );
const activeCount = (certificates: readonly string[]) => certificates.filter((one) => one.endsWith(" active")).length;

test.each<[string, object, number]>([
  ["cancelled", { cancelled_at: at(2) }, 0],
  ["partly refunded", { refunds: [{ id: 1, refund_line_items: [{ line_item_id: line, quantity: 1 }] }] }, 1],
])("an order that is %s keeps no certificate too many when an older file is imported", async (_name, state, left) => {
  const { send, settled, certificatesOf, storeId } = await openShop([]);
  const id = newOrderId();
  await send("orders/updated", orderPayload({ id, lines: [{ id: line, quantity: 2 }], updated_at: at(2), ...state }));
  await settled();
  await importUnits(storeId, id, [1, 2]);
  await settled();
  const certificates = await certificatesOf(id);
  expect([certificates.length, activeCount(certificates)]).toEqual([2, left]);
});

test("one unit has one valid certificate after a person has reactivated that of a refunded unit", async () => {
  const { send, settled, certificatesOf, storeId } = await openShop();
  const id = newOrderId();
  const order = { id, lines: [{ id: line, quantity: 2 }] };
  await send("orders/paid", orderPayload({ ...order, updated_at: at(1) }));
  await settled();
  const [first] = await registry.database.collections.certificates.find({ store: storeId }).toArray();
  const request = { storeId, certificateId: first?._id ?? "" };
  await registry.lifecycle.revokeCertificate({ ...request, cause: RevocationCause.IN_APP }, inStore(request.storeId));
  const refunds = [{ id: 1, refund_line_items: [{ line_item_id: line, quantity: 1 }] }];
  await send("orders/updated", orderPayload({ ...order, updated_at: at(2), refunds }));
  await settled();
  await registry.lifecycle.reactivateCertificate(request, inStore(request.storeId));
  await settled();
  expect(activeCount(await certificatesOf(id))).toBe(1);
});

test("a unit that was sold out gets its certificate when the catalogue's edition is enlarged", async () => {
  const { send, settled, certificatesOf, storeId } = await openShop();
  const put = (editionTotal: number) =>
    registry.admin.putProducts(
      {
        products: [{ id: "p1", title: "Alpine Jacket", variants: [{ sku: "AJ-M", title: "M" }], editionTotal }],
      },
      inStore(storeId),
    );
  await put(1);
  const id = newOrderId();
  await send("orders/paid", orderPayload({ id, lines: [{ id: line, quantity: 2 }] }));
  await settled();
  expect(await certificatesOf(id)).toHaveLength(1);
  await put(2);
  await settled();
  expect(await certificatesOf(id)).toHaveLength(2);
});

test("a unit that was sold out gets its certificate when its SKU leaves the edition", async () => {
  const { send, settled, certificatesOf, storeId } = await openShop();
  const put = (sku: string) =>
    registry.admin.putProducts(
      { products: [{ id: "p1", title: "Alpine Jacket", variants: [{ sku, title: "M" }], editionTotal: 1 }] },
      inStore(storeId),
    );
  await put("AJ-M");
  const id = newOrderId();
  await send("orders/paid", orderPayload({ id, lines: [{ id: line, quantity: 2 }] }));
  await settled();
  expect(await certificatesOf(id)).toHaveLength(1);
  await put("AJ-L");
  await settled();
  expect(await certificatesOf(id)).toHaveLength(2);
});

test("an update of a product makes no order due unless it changes which rules select the product", async () => {
  const limited = { name: "limited", selector: RuleSelector.TAG, value: "limited" };
  const { send, settled, certificatesOf, storeId } = await openShop([limited]);
  const product = (tags: string, second: number) =>
    send("products/update", { id: productId, tags, updated_at: at(second) });
  await product("blue", 1);
  await settled();
  const id = newOrderId();
  await send("orders/paid", orderPayload({ id, lines: [{ id: line }] }));
  await settled();
  const version = async () => (await storefrontOrders.findOne({ _id: `${storeId}/${id}` }))?.version;
  const before = await version();
  await product("blue", 2);
  await product("blue, new", 3);
  await settled();
  expect(await version()).toBe(before);
  await product("blue, limited", 4);
  await settled();
  expect(await certificatesOf(id)).toHaveLength(1);
});

test("without a rule that selects by tag, an update of an unselected product makes no order due", async () => {
  const { send, settled, storeId } = await openShop([{ ...allProducts, excludes: true }]);
  const id = newOrderId();
  await send("orders/paid", orderPayload({ id, lines: [{ id: line }] }));
  await settled();
  const version = async () => (await storefrontOrders.findOne({ _id: `${storeId}/${id}` }))?.version;
  const before = await version();
  await send("products/update", { id: productId, tags: "blue", updated_at: at(1) });
  await settled();
  expect(await version()).toBe(before);
});

test("of two states of a product from the same second, the one sent later counts, whichever arrives first", async () => {
  const limited = { name: "limited", selector: RuleSelector.TAG, value: "limited" };
  const { send, settled, certificatesOf } = await openShop([limited]);
  const product = (tags: string, triggeredAt: string) =>
    send("products/update", { id: productId, tags, updated_at: at(1) }, { triggeredAt });
  await product("limited", "2026-01-31T15:00:01.200Z");
  await settled();
  await product("", "2026-01-31T15:00:01.100Z");
  await settled();
  const id = newOrderId();
  await send("orders/paid", orderPayload({ id, lines: [{ id: line }] }));
  await settled();
  expect(await certificatesOf(id)).toHaveLength(1);
  await product("", "2026-01-31T15:00:01.300Z");
  await settled();
  const other = newOrderId();
  await send("orders/paid", orderPayload({ id: other, lines: [{ id: line }] }));
  await settled();
  expect(await certificatesOf(other)).toEqual([]);
});
