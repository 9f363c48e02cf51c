import { describe, expect, test } from "vitest";
import { IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { listAll } from "../harness/public-certificate.ts";
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
  const { report, settled, certificatesOf, storeId } = await openShop([]);
  const id = newOrderId();
  await report("orders/updated", orderPayload({ id, lines: [{ id: line, quantity: 2 }], updated_at: at(2), ...state }));
  await importUnits(storeId, id, [1, 2]);
  await settled();
  const certificates = await certificatesOf(id);
  expect([certificates.length, activeCount(certificates)]).toEqual([2, left]);
});

test("one unit has one valid certificate after a person has reactivated that of a refunded unit", async () => {
  const { report, settled, certificatesOf, storeId } = await openShop();
  const id = newOrderId();
  const order = { id, lines: [{ id: line, quantity: 2 }] };
  await report("orders/paid", orderPayload({ ...order, updated_at: at(1) }));
  const [first] = await registry.database.collections.certificates.find({ store: storeId }).toArray();
  const request = { storeId, certificateId: first?._id ?? "" };
  await registry.lifecycle.revokeCertificate({ ...request, cause: RevocationCause.IN_APP }, inStore(request.storeId));
  const refunds = [{ id: 1, refund_line_items: [{ line_item_id: line, quantity: 1 }] }];
  await report("orders/updated", orderPayload({ ...order, updated_at: at(2), refunds }));
  await registry.lifecycle.reactivateCertificate(request, inStore(request.storeId));
  await settled();
  expect(activeCount(await certificatesOf(id))).toBe(1);
});

test.each([
  ["the catalogue's edition is enlarged", { editionTotal: 2 }],
  ["its SKU leaves the edition", { variants: [{ sku: "AJ-L", title: "M" }] }],
])("a unit that was sold out gets its certificate when %s", async (_name, change) => {
  const { report, settled, certificatesOf, storeId } = await openShop();
  const product = { id: "p1", title: "Alpine Jacket", variants: [{ sku: "AJ-M", title: "M" }], editionTotal: 1 };
  await registry.admin.putProducts({ products: [product] }, inStore(storeId));
  const id = newOrderId();
  await report("orders/paid", orderPayload({ id, lines: [{ id: line, quantity: 2 }] }));
  expect(await certificatesOf(id)).toHaveLength(1);
  await registry.admin.putProducts({ products: [{ ...product, ...change }] }, inStore(storeId));
  await settled();
  expect(await certificatesOf(id)).toHaveLength(2);
});

test("an update of a product makes no order due unless it changes which rules select the product", async () => {
  const limited = { name: "limited", selector: RuleSelector.TAG, value: "limited" };
  const { report, send, settled, certificatesOf, storeId } = await openShop([limited]);
  const product = (tags: string, second: number) =>
    send("products/update", { id: productId, tags, updated_at: at(second) });
  await product("blue", 1);
  await settled();
  const id = newOrderId();
  await report("orders/paid", orderPayload({ id, lines: [{ id: line }] }));
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
  const { report, storeId } = await openShop([{ ...allProducts, excludes: true }]);
  const id = newOrderId();
  await report("orders/paid", orderPayload({ id, lines: [{ id: line }] }));
  const version = async () => (await storefrontOrders.findOne({ _id: `${storeId}/${id}` }))?.version;
  const before = await version();
  await report("products/update", { id: productId, tags: "blue", updated_at: at(1) });
  expect(await version()).toBe(before);
});

test("of two states of a product from the same second, the one sent later counts, whichever arrives first", async () => {
  const limited = { name: "limited", selector: RuleSelector.TAG, value: "limited" };
  const { report, send, settled, certificatesOf } = await openShop([limited]);
  const product = (tags: string, triggeredAt: string) =>
    send("products/update", { id: productId, tags, updated_at: at(1) }, { triggeredAt });
  await product("limited", "2026-01-31T15:00:01.200Z");
  await settled();
  await product("", "2026-01-31T15:00:01.100Z");
  await settled();
  const id = newOrderId();
  await report("orders/paid", orderPayload({ id, lines: [{ id: line }] }));
  expect(await certificatesOf(id)).toHaveLength(1);
  await product("", "2026-01-31T15:00:01.300Z");
  await settled();
  const other = newOrderId();
  await report("orders/paid", orderPayload({ id: other, lines: [{ id: line }] }));
  expect(await certificatesOf(other)).toEqual([]);
});

describe("an imported order", () => {
  test("that later arrives from the platform gets certificates only for units that have none", async () => {
    const { report, certificatesOf, storeId } = await openShop();
    const id = newOrderId();
    await importUnits(storeId, id, [1, 2]);
    await report("orders/paid", orderPayload({ id, lines: [{ id: line, quantity: 3 }] }));
    expect(await certificatesOf(id)).toEqual(["1/1 active", "1/2 active", `${line}/1 active`]);
  });

  test("that arrived from the platform earlier gets no further certificates", async () => {
    const { report, certificatesOf, storeId } = await openShop();
    const id = newOrderId();
    await report("orders/paid", orderPayload({ id, lines: [{ id: line, quantity: 2 }] }));
    const { results } = await importUnits(storeId, id, [1, 2]);
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set([IssueOutcome.ALREADY_ISSUED]));
    expect(await certificatesOf(id)).toEqual([`${line}/1 active`, `${line}/2 active`]);
  });

  test("is listed as a problem if a certificate matches no line, and keeps that certificate", async () => {
    const { report, certificatesOf, storeId } = await openShop();
    const id = newOrderId();
    await importUnits(storeId, id, [1, 2]);
    await report("orders/paid", orderPayload({ id, lines: [{ id: line, quantity: 1 }] }));
    expect(await certificatesOf(id)).toEqual(["1/1 active", "1/2 active"]);
    const { problems } = await registry.storefront.listStorefrontProblems({}, inStore(storeId));
    expect(problems).toMatchObject([{ orderName: expect.stringMatching(/^#/), hasFailed: false }]);
    expect(problems[0]?.problems[0]?.text).toMatch(/^1 certificate matches no line/);
  });
});

/** Opens a shop in which a person has reactivated the second certificate of an order that was refunded. */
async function openShopWithReactivated() {
  const shop = await openShop();
  const { storeId } = shop;
  const id = newOrderId();
  const update = (topic: string, second: number, state: object) =>
    shop.report(topic, orderPayload({ id, lines: [{ id: line, quantity: 2 }], updated_at: at(second), ...state }));
  const refunded = { financial_status: "refunded" };
  await update("orders/paid", 1, {});
  await update("orders/updated", 2, refunded);
  const found = await registry.database.collections.certificates.find({ store: storeId }).toArray();
  const certificateId = found.find(({ issueKey }) => issueKey === `${id}/${line}/2`)?._id ?? "";
  await registry.lifecycle.reactivateCertificate({ certificateId }, inStore(storeId));
  const certificates = () => shop.certificatesOf(id);
  return { ...shop, update, refunded, certificateId, certificates };
}

const reactivated = [`${line}/1 revoked`, `${line}/2 active`];

test("a certificate that a person has reactivated stays valid when the platform reports the order again", async () => {
  const { update, refunded, certificates } = await openShopWithReactivated();
  await update("orders/updated", 3, refunded);
  expect(await certificates()).toEqual(reactivated);
  await update("orders/cancelled", 4, { cancelled_at: at(4) });
  expect(await certificates()).toEqual(reactivated);
});

test("a certificate that a person has reactivated stays valid when the rules change, and after a transfer", async () => {
  const { settled, update, refunded, certificates, storeId, certificateId } = await openShopWithReactivated();
  await registry.storefront.setStorefrontRules({ rules: [{ ...allProducts, validDays: 9 }] }, inStore(storeId));
  await settled();
  expect(await certificates()).toEqual(reactivated);
  const newOwner = { newOwnerName: "Bob", newOwnerEmail: "bob@example.test" };
  await registry.lifecycle.transferCertificate({ certificateId, ...newOwner }, inStore(storeId));
  await update("orders/updated", 3, refunded);
  expect(await certificates()).toEqual(reactivated);
});

test("a person can revoke a reactivated certificate again, and the API does not show the mark of the earlier refund", async () => {
  const { certificates, storeId, certificateId } = await openShopWithReactivated();
  const shown = await listAll(registry, storeId);
  expect(JSON.stringify(shown)).not.toContain("ithdrawn");
  await registry.lifecycle.revokeCertificate({ certificateId, cause: RevocationCause.REFUND }, inStore(storeId));
  expect(await certificates()).toEqual([`${line}/1 revoked`, `${line}/2 revoked`]);
});

test("a refund revokes a certificate that a person had revoked by mistake and reactivated", async () => {
  const { report, storeId, certificatesOf } = await openShop();
  const id = newOrderId();
  const order = { id, lines: [{ id: line, quantity: 1 }] };
  await report("orders/paid", orderPayload({ ...order, updated_at: at(1) }));
  const [issued] = await registry.database.collections.certificates.find({ store: storeId }).toArray();
  const certificateId = issued?._id ?? "";
  await registry.lifecycle.revokeCertificate({ certificateId, cause: RevocationCause.IN_APP }, inStore(storeId));
  await registry.lifecycle.reactivateCertificate({ certificateId }, inStore(storeId));
  await report("orders/updated", orderPayload({ ...order, updated_at: at(2), financial_status: "refunded" }));
  expect(await certificatesOf(id)).toEqual([`${line}/1 revoked`]);
});
