import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect } from "vitest";
import { PaymentState } from "#gen/registry/v1/connector_service_pb.js";
import { RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { eventually } from "../eventually.ts";
import { inStore } from "../in-store.ts";
import type { PagesRig } from "../pages-rig.ts";
import { newOrderId } from "./order-payload.ts";

/** Strings that the storefront platform sends or a merchant enters. */
export interface StorefrontTexts {
  readonly tag: string;
  readonly orderName: string;
  /** Title of a product in an order. */
  readonly product: string;
}

/**
 * Connects a store to its storefront platform, with three rules, two orders that need attention, a message that could
 * not be translated, and a customer's data request.
 *
 * @param ruleName name of one of the rules
 */
export async function connectStorefront(
  { registry }: Pick<PagesRig, "registry">,
  storeId: string,
  { tag, orderName, product: title }: StorefrontTexts,
  ruleName = "limited",
): Promise<{ readonly ruleName: string; readonly requestId: string }> {
  const since = timestampFromDate(new Date("2026-01-15T08:00:00Z"));
  await registry.storefront.setStorefrontRules(
    {
      rules: [
        { name: ruleName, selector: RuleSelector.TAG, value: tag, editionTotal: 50, since },
        { name: "gifts", selector: RuleSelector.SKU, value: "GIFT-*", excludes: true, since },
        { name: "all", selector: RuleSelector.ALL, validDays: 3_650, since },
      ],
    },
    inStore(storeId),
  );
  const { store } = await registry.admin.getStore({}, inStore(storeId));
  const shop = store?.shop ?? "";
  const receive = (messageId: string, topic: string, content: Content) =>
    registry.connector.receiveMessage({ shop, messageId, topic, content });
  await receive("installed", "app/installed", { case: "appInstalled", value: {} });
  const product = { id: "8100000000001", tags: [], updatedAt: since };
  await receive("product", "products/update", { case: "product", value: product });
  const line = { id: "1", productId: product.id, title, sku: "LP-KITE-A2" };
  const orders = [
    { name: orderName, lines: [{ ...line, quantity: 1 }] },
    { name: "#1052", lines: [{ ...line, quantity: 10_500 }], isTest: true },
  ];
  const placed = timestampFromDate(new Date("2026-03-14T09:26:00Z"));
  for (const order of orders) {
    const facts = { id: String(newOrderId()), payment: PaymentState.PAID, createdAt: placed, updatedAt: placed };
    await receive(`order-${facts.id}`, "orders/paid", { case: "order", value: { ...order, ...facts } });
  }
  const problem = reason("message_field_malformed", { field: "line_items.0.title", fault: "invalid_type" });
  await receive("broken", "orders/updated", { case: "unreadable", value: { problem } });
  const customer = { email: "ada@example.test", orderIds: [] };
  // Message ids consist of visible ASCII characters; names of orders can contain others.
  const requestId = `${orderName.replaceAll(/[^!-~]/gu, "")}-${storeId}`;
  await receive(requestId, "customers/data_request", { case: "customerDataRequest", value: customer });
  await eventually(async () =>
    expect((await registry.storefront.getStorefront({}, inStore(storeId))).waitingCount).toBe(0),
  );
  return { ruleName, requestId };
}

type Content = NonNullable<Parameters<PagesRig["registry"]["connector"]["receiveMessage"]>[0]["content"]>;
