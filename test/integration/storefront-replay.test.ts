import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { inStore } from "../harness/in-store.ts";
import { runCertctl } from "../harness/run-certctl.ts";
import { newOrderId, orderPayload } from "../harness/storefront/order-payload.ts";
import { openStorefrontRig } from "./storefront-rig.ts";

const { app, edgeUrl, registry, openShop } = await openStorefrontRig();
const folder = await openTemporaryFolder("storefront-replay", afterAll);
const jackets = { name: "jackets", selector: RuleSelector.SKU, value: "AJ-*", since: { seconds: 0n } };
const [line, other] = [13_800_000_000_001, 13_800_000_000_002];

test("certctl storefront replay makes up for lost messages: rules and refunds apply, and a removed app closes the store", async () => {
  const { report, shop, storeId, settled, certificatesOf } = await openShop([jackets]);
  /** Sends messages in the form that deploy/operations/storefront.md shows. */
  const replay = async (messages: readonly object[]) => {
    const file = path.join(folder, "messages.jsonl");
    await writeFile(file, messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
    const target = ["--shop", shop, "--secret-file", app.secretFile, "--url", `${edgeUrl}/storefront/shopify/webhooks`];
    return runCertctl("storefront", "replay", file, ...target);
  };
  const [refunded, lost] = [newOrderId(), newOrderId()];
  await report("orders/paid", orderPayload({ id: refunded }));
  expect(await certificatesOf(refunded)).toEqual([`${line}/1 active`]);

  const later = "2030-01-31T10:00:05-05:00";
  const orders = [
    orderPayload({ id: refunded, updated_at: later, financial_status: "refunded" }),
    orderPayload({ id: lost, lines: [{ id: line }, { id: other, sku: "POSTCARD" }] }),
  ];
  const messages = orders.map((payload) => ({ topic: "orders/updated", payload }));
  // A replay can be repeated.
  for (let round = 1; round <= 2; round++) {
    expect(await replay(messages)).toMatchObject({ code: 0, out: "2 of 2 messages were accepted\n" });
    await settled();
    expect([await certificatesOf(refunded), await certificatesOf(lost)]).toEqual([
      [`${line}/1 revoked`],
      [`${line}/1 active`],
    ]);
  }

  const payload = { id: 1, domain: shop, myshopify_domain: shop };
  const removal = { topic: "app/uninstalled", triggered_at: new Date().toISOString(), payload };
  expect(await replay([removal])).toMatchObject({ code: 0 });
  expect(await registry.storefront.getStorefront({}, inStore(storeId))).toMatchObject({ isClosed: true });
}, 120_000);
