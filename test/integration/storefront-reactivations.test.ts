import { expect, test } from "vitest";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { listAll } from "../harness/public-certificate.ts";
import { newOrderId, orderPayload } from "../harness/storefront/order-payload.ts";
import { allProducts } from "../harness/storefront/rules.ts";
import { openStorefrontRig } from "./storefront-rig.ts";

const { registry, openShop } = await openStorefrontRig();
const line = 13_800_000_000_001;
const at = (second: number) => `2030-01-31T10:00:${String(second).padStart(2, "0")}-05:00`;

/** Opens a shop in which a person has reactivated the second certificate of an order that was refunded. */
async function openShopWithReactivated() {
  const shop = await openShop();
  const { send, settled, storeId } = shop;
  const id = newOrderId();
  const report = async (topic: string, second: number, state: object) => {
    await send(topic, orderPayload({ id, lines: [{ id: line, quantity: 2 }], updated_at: at(second), ...state }));
    await settled();
  };
  const refunded = { financial_status: "refunded" };
  await report("orders/paid", 1, {});
  await report("orders/updated", 2, refunded);
  const found = await registry.database.collections.certificates.find({ store: storeId }).toArray();
  const certificateId = found.find(({ issueKey }) => issueKey === `${id}/${line}/2`)?._id ?? "";
  await registry.lifecycle.reactivateCertificate({ certificateId }, inStore(storeId));
  const certificates = () => shop.certificatesOf(id);
  return { ...shop, report, refunded, certificateId, certificates };
}

const reactivated = [`${line}/1 revoked`, `${line}/2 active`];

test("a certificate that a person has reactivated stays valid when the platform reports the order again", async () => {
  const { report, refunded, certificates } = await openShopWithReactivated();
  await report("orders/updated", 3, refunded);
  expect(await certificates()).toEqual(reactivated);
  await report("orders/cancelled", 4, { cancelled_at: at(4) });
  expect(await certificates()).toEqual(reactivated);
});

test("a certificate that a person has reactivated stays valid when the rules change, and after a transfer", async () => {
  const { settled, report, refunded, certificates, storeId, certificateId } = await openShopWithReactivated();
  await registry.storefront.setStorefrontRules({ rules: [{ ...allProducts, validDays: 9 }] }, inStore(storeId));
  await settled();
  expect(await certificates()).toEqual(reactivated);
  const newOwner = { newOwnerName: "Bob", newOwnerEmail: "bob@example.test" };
  await registry.lifecycle.transferCertificate({ certificateId, ...newOwner }, inStore(storeId));
  await report("orders/updated", 3, refunded);
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
  const { send, settled, storeId, certificatesOf } = await openShop();
  const id = newOrderId();
  const order = { id, lines: [{ id: line, quantity: 1 }] };
  await send("orders/paid", orderPayload({ ...order, updated_at: at(1) }));
  await settled();
  const [issued] = await registry.database.collections.certificates.find({ store: storeId }).toArray();
  const certificateId = issued?._id ?? "";
  await registry.lifecycle.revokeCertificate({ certificateId, cause: RevocationCause.IN_APP }, inStore(storeId));
  await registry.lifecycle.reactivateCertificate({ certificateId }, inStore(storeId));
  await send("orders/updated", orderPayload({ ...order, updated_at: at(2), financial_status: "refunded" }));
  await settled();
  expect(await certificatesOf(id)).toEqual([`${line}/1 revoked`]);
});
