import { z } from "zod";
import { type MessageContent, type PlatformAdapter, UnreadableBody } from "../platform-adapter.ts";
import { customerErasurePayload, dataRequestPayload } from "./customer-payload.ts";
import { id } from "./fields.ts";
import { orderPayload } from "./order-payload.ts";
import { parseJson } from "./parse-json.ts";
import { productPayload } from "./product-payload.ts";
import { refundPayload } from "./refund-payload.ts";

type Translate = (payload: unknown) => MessageContent;

const order: Translate = (payload) => ({ case: "order", value: orderPayload.parse(payload) });
const product: Translate = (payload) => ({ case: "product", value: productPayload.parse(payload) });
const orderOfRefund = z.object({ order_id: id });

// https://shopify.dev/docs/api/webhooks lists all topics. Those missing here need no handling; for example,
// orders/edited reports only the edit, while orders/updated reports the edited order.
const topics: Readonly<Record<string, Translate>> = {
  "orders/create": order,
  "orders/paid": order,
  "orders/updated": order,
  "orders/cancelled": order,
  "orders/fulfilled": order,
  "orders/partially_fulfilled": order,
  "refunds/create": (payload) => ({
    case: "refund",
    value: { orderId: orderOfRefund.parse(payload).order_id, refund: refundPayload.parse(payload) },
  }),
  "products/create": product,
  "products/update": product,
  // Not a Shopify topic: the app itself sends this message when it is installed.
  "app/installed": () => ({ case: "appInstalled", value: {} }),
  "app/uninstalled": () => ({ case: "appUninstalled", value: {} }),
  "customers/data_request": (payload) => ({ case: "customerDataRequest", value: dataRequestPayload.parse(payload) }),
  "customers/redact": (payload) => ({ case: "customerErasure", value: customerErasurePayload.parse(payload) }),
  "shop/redact": () => ({ case: "shopErasure", value: {} }),
};

/** Translates webhooks in the format of Shopify's Admin REST API. */
export const shopifyAdapter: PlatformAdapter = {
  name: "shopify",
  headers: {
    signature: "x-shopify-hmac-sha256",
    topic: "x-shopify-topic",
    shop: "x-shopify-shop-domain",
    messageId: "x-shopify-webhook-id",
    triggeredAt: "x-shopify-triggered-at",
  },
  translate(topic, body) {
    if (!Object.hasOwn(topics, topic)) return undefined;
    const payload = parseJson(body);
    try {
      return topics[topic]?.(payload);
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error;
      throw new UnreadableBody(faultOf(error), { cause: error });
    }
  },
};

// Names the first fault by its path and code, because Zod's messages could contain values.
function faultOf({ issues }: z.ZodError): string {
  const [first] = issues;
  const path = first?.path.join(".") ?? "";
  return `The ${path === "" ? "body" : `field ${path}`} does not have the expected form (${first?.code ?? "unknown"}).`;
}
