import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { RuleNumbering, RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { actorRandom, shuffled } from "../harness/seeded-random.ts";
import { newOrderId, orderPayload, refundPayload } from "../harness/storefront/order-payload.ts";
import { allProducts } from "../harness/storefront/rules.ts";
import { openStorefrontRig } from "./storefront-rig.ts";

const { registry, openShop } = await openStorefrontRig();
const line = 13_800_000_000_001;
const other = 13_800_000_000_002;
const at = (second: number) => `2030-01-31T10:00:${String(second).padStart(2, "0")}-05:00`;

describe("an order", () => {
  test("gets one certificate for each unit once the order is paid, with order, product and buyer data", async () => {
    const { report, certificatesOf, storeId } = await openShop();
    const id = newOrderId();
    const lines = [{ id: line, quantity: 2 }];
    await report("orders/create", orderPayload({ id, lines, financial_status: "pending" }));
    expect(await certificatesOf(id)).toEqual([]);
    await report("orders/paid", orderPayload({ id, lines, name: "#1001", updated_at: at(2) }));
    expect(await certificatesOf(id)).toEqual([`${line}/1 active`, `${line}/2 active`]);
    const [certificate] = await registry.database.collections.certificates.find({ store: storeId }).toArray();
    expect(certificate).toMatchObject({
      order: { id: String(id), name: "#1001" },
      owner: { name: "Ada Example", email: "ada@example.test" },
      product: { id: "8100000000001", title: "Alpine Jacket", variant: "M / Blue", sku: "AJ-M" },
    });
    const [entry] = await registry.database.collections.history.find({ certificate: certificate?._id ?? "" }).toArray();
    expect(entry).toMatchObject({ cause: "order", actor: "storefront" });
  });

  test("has certificates revoked for refunded and removed units, and issued for added units", async () => {
    const { report, certificatesOf } = await openShop();
    const id = newOrderId();
    await report("orders/paid", orderPayload({ id, lines: [{ id: line, quantity: 3 }] }));
    await report("refunds/create", refundPayload(1, { [line]: 1 }, id));
    expect(await certificatesOf(id)).toEqual([`${line}/1 active`, `${line}/2 active`, `${line}/3 revoked`]);
    const lines = [{ id: line, quantity: 3, current_quantity: 1 }, { id: other }];
    await report(
      "orders/updated",
      orderPayload({ id, lines, updated_at: at(9), refunds: [refundPayload(1, { [line]: 1 })] }),
    );
    const expected = [`${line}/1 active`, `${line}/2 revoked`, `${line}/3 revoked`, `${other}/1 active`];
    expect(await certificatesOf(id)).toEqual(expected);
  });

  test("has its certificates revoked when it is cancelled, and the revocations state that reason", async () => {
    const { report, storeId } = await openShop();
    const id = newOrderId();
    await report("orders/paid", orderPayload({ id }));
    await report("orders/cancelled", orderPayload({ id, updated_at: at(5), cancelled_at: at(5) }));
    const found = await registry.database.collections.certificates.find({ store: storeId }).toArray();
    expect(found.map(({ status, revokedReason }) => [status, revokedReason])).toEqual([["revoked", "Order cancelled"]]);
  });

  test("ends with the same certificates however its messages are reordered, repeated and replayed", async () => {
    const { send, settled, certificatesOf } = await openShop();
    const history = (id: number): [string, object][] => [
      ["orders/create", orderPayload({ id, lines: [{ id: line, quantity: 3 }], financial_status: "pending" })],
      ["orders/paid", orderPayload({ id, lines: [{ id: line, quantity: 3 }], updated_at: at(1) })],
      ["refunds/create", refundPayload(1, { [line]: 1 }, id)],
      [
        "orders/updated",
        orderPayload({ id, updated_at: at(3), lines: [{ id: line, quantity: 3, current_quantity: 2 }, { id: other }] }),
      ],
    ];
    const random = actorRandom(1, "arrivals");
    for (let round = 0; round < 12; round += 1) {
      const id = newOrderId();
      const messages = history(id).map(([topic, payload]) => ({ topic, payload, webhookId: randomUUID() }));
      const again = history(id).map(([topic, payload]) => ({ topic, payload }));
      const arrivals = shuffled([...messages, ...messages, ...again], random);
      for (const [index, { topic, payload, ...more }] of arrivals.entries()) {
        await send(topic, payload, more);
        if (index % 4 === round % 4) await settled();
      }
      await settled();
      const valid = (await certificatesOf(id)).filter((one) => one.endsWith("active"));
      expect(valid.map((one) => one.split("/")[0])).toEqual([String(line), String(line), String(other)]);
    }
  });

  test("that is replayed after its messages and record have been deleted gets no further certificates", async () => {
    const { report, certificatesOf, storeId } = await openShop();
    const id = newOrderId();
    const paid = orderPayload({ id, lines: [{ id: line, quantity: 3 }] });
    await report("orders/paid", paid, { webhookId: "paid" });
    await report("refunds/create", refundPayload(1, { [line]: 2 }, id));
    const expected = [`${line}/1 active`, `${line}/2 revoked`, `${line}/3 revoked`];
    expect(await certificatesOf(id)).toEqual(expected);
    await registry.database.collections.storefrontMessages.deleteMany({ store: storeId });
    await registry.database.collections.storefrontOrders.deleteMany({ store: storeId });
    await report("orders/paid", paid, { webhookId: "paid" });
    expect(await certificatesOf(id)).toEqual(expected);
  });

  test("in a currency other than the store's gets a certificate", async () => {
    const { report, certificatesOf } = await openShop();
    const id = newOrderId();
    const price = {
      shop_money: { amount: "1.00", currency_code: "EUR" },
      presentment_money: { amount: "160", currency_code: "JPY" },
    };
    await report("orders/paid", orderPayload({ id, presentment_currency: "JPY", total_price_set: price }));
    expect(await certificatesOf(id)).toHaveLength(1);
  });

  test("with 250 lines gets all 250 certificates", async () => {
    const { report, certificatesOf } = await openShop();
    const id = newOrderId();
    const lines = Array.from({ length: 250 }, (_, index) => ({ id: line + index, sku: `S-${index}`, quantity: 1 }));
    await report("orders/paid", orderPayload({ id, lines }));
    expect(await certificatesOf(id)).toHaveLength(250);
  });

  test.each<[string, object, object, number]>([
    ["without a SKU gets a certificate", {}, { sku: null }, 1],
    ["of a deleted product gets a certificate", {}, { product_id: null, variant_id: null }, 1],
    ["with a null customer gets a certificate", { customer: null }, {}, 1],
    ["of a gift card gets none", {}, { gift_card: true }, 0],
    ["that is a test gets none", { test: true }, {}, 0],
    ["without any buyer gets none", { customer: null, email: null, contact_email: null, billing_address: null }, {}, 0],
  ])("%s", async (_name, order, changes, count) => {
    const { report, certificatesOf } = await openShop();
    const id = newOrderId();
    await report("orders/paid", orderPayload({ id, lines: [{ id: line, ...changes }], ...order }));
    expect(await certificatesOf(id)).toHaveLength(count);
  });
});

describe("a store's rules", () => {
  test("set edition numbering per product or across products, and limit the validity of certificates", async () => {
    const { report, storeId } = await openShop([
      { ...allProducts, name: "art", selector: RuleSelector.SKU, value: "ART-*", editionTotal: 2, validDays: 10 },
      { ...allProducts, name: "rest", editionTotal: 100, numbering: RuleNumbering.SHARED },
    ]);
    const id = newOrderId();
    const lines = [
      { id: line, sku: "ART-1", product_id: 1, quantity: 3 },
      { id: other, sku: "X", product_id: 2 },
      { id: other + 1, sku: "Y", product_id: 3 },
    ];
    await report("orders/paid", orderPayload({ id, lines }));
    const found = await registry.database.collections.certificates
      .find({ store: storeId })
      .sort({ serial: 1 })
      .toArray();
    expect(
      found.map(({ product, edition, expiresAt }) => [
        product.sku,
        edition?.number,
        edition?.total,
        expiresAt !== null,
      ]),
    ).toEqual([
      ["ART-1", 1, 2, true],
      ["ART-1", 2, 2, true],
      ["X", 1, 100, false],
      ["Y", 2, 100, false],
    ]);
    const { problems } = await registry.storefront.listStorefrontProblems({}, inStore(storeId));
    expect(problems[0]?.problems.map((each) => each.text)).toEqual(["The edition of Alpine Jacket is sold out."]);
  });

  test("match products by their tags, even if the platform reports a product after the order", async () => {
    const { report, send, certificatesOf } = await openShop([
      { ...allProducts, name: "tagged", selector: RuleSelector.TAG, value: "certified" },
    ]);
    const id = newOrderId();
    await report(
      "orders/paid",
      orderPayload({
        id,
        lines: [
          { id: line, product_id: 77 },
          { id: other, product_id: 78 },
        ],
      }),
    );
    expect(await certificatesOf(id)).toEqual([]);
    await send("products/update", { id: 77, tags: "Certified, new", updated_at: at(20) });
    await report("products/update", { id: 78, tags: "new", updated_at: at(20) });
    expect(await certificatesOf(id)).toEqual([`${line}/1 active`]);
    // An older state of the other product, in which it had the tag.
    await report("products/update", { id: 78, tags: "certified", updated_at: at(10) });
    expect(await certificatesOf(id)).toEqual([`${line}/1 active`]);
  });

  test("apply to a product only once its tags are known; until then, its order is listed as a problem", async () => {
    const { report, certificatesOf, storeId } = await openShop([
      { ...allProducts, name: "limited", selector: RuleSelector.TAG, value: "limited", editionTotal: 100 },
      allProducts,
    ]);
    const id = newOrderId();
    await report("orders/paid", orderPayload({ id, lines: [{ id: line, product_id: 77 }] }));
    expect(await certificatesOf(id)).toEqual([]);
    const notes = async () => {
      const { problems } = await registry.storefront.listStorefrontProblems({}, inStore(storeId));
      return problems.flatMap((one) => one.problems.map(({ text }) => text));
    };
    expect(await notes()).toEqual([expect.stringMatching(/^The rules depend on the tags of Alpine Jacket,/)]);
    await report("products/update", { id: 77, tags: "Limited", updated_at: at(20) });
    const [certificate] = await registry.database.collections.certificates.find({ store: storeId }).toArray();
    expect(certificate?.edition).toEqual({ number: 1, total: 100 });
    expect(await notes()).toEqual([]);
  });

  test("apply to earlier orders that `since` permits; removing the rules leaves existing certificates valid", async () => {
    const { report, settled, certificatesOf, storeId } = await openShop([]);
    const id = newOrderId();
    await report("orders/paid", orderPayload({ id }));
    expect(await certificatesOf(id)).toEqual([]);
    await registry.storefront.setStorefrontRules({ rules: [allProducts] }, inStore(storeId));
    await settled();
    expect(await certificatesOf(id)).toEqual([`${line}/1 active`]);
    await registry.storefront.setStorefrontRules({ rules: [] }, inStore(storeId));
    await report("orders/updated", orderPayload({ id, updated_at: at(30) }));
    expect(await certificatesOf(id)).toEqual([`${line}/1 active`]);
  });
});
