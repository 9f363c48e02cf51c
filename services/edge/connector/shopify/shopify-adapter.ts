import { z } from "zod";
import { badRequest } from "#shared/errors/service-error.ts";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import type { JsonObject } from "../parse-object.ts";
import { type PlatformAdapter, type Translation, UnreadableBody } from "../platform-adapter.ts";
import {
  appInstalledPayload,
  appUninstalledPayload,
  customerErasurePayload,
  dataRequestPayload,
  shopErasurePayload,
} from "./customer-payload.ts";
import { id } from "./fields.ts";
import { orderPayload } from "./order-payload.ts";
import { productPayload } from "./product-payload.ts";
import { refundPayload } from "./refund-payload.ts";

/** Translates a payload. @throws ZodError if the payload does not have the form of the topic */
type Translate = (payload: JsonObject) => Translation;

const order: Translate = (payload) => ({ content: { case: "order", value: orderPayload.parse(payload) } });
const product: Translate = (payload) => ({ content: { case: "product", value: productPayload.parse(payload) } });
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
  "refunds/create": (payload) => {
    const { order_id: orderId } = orderOfRefund.parse(payload);
    return { content: { case: "refund", value: { orderId, refund: refundPayload.parse(payload) } } };
  },
  "products/create": product,
  "products/update": product,
};

// The bodies of these topics name their store. A body that does not is no message of the topic: it is refused rather
// than stored, because nothing shows to which store it belongs.
const storeTopics: Readonly<Record<string, Translate>> = {
  // Not a Shopify topic: the app itself sends this message when it is installed.
  "app/installed": (payload) => {
    const createdAt = appInstalledPayload.parse(payload);
    return { content: { case: "appInstalled", value: {} }, createdAt };
  },
  "app/uninstalled": (payload) => {
    appUninstalledPayload.parse(payload);
    return { content: { case: "appUninstalled", value: {} } };
  },
  "customers/data_request": (payload) => ({
    content: { case: "customerDataRequest", value: dataRequestPayload.parse(payload) },
  }),
  "customers/redact": (payload) => ({
    content: { case: "customerErasure", value: customerErasurePayload.parse(payload) },
  }),
  "shop/redact": (payload) => {
    shopErasurePayload.parse(payload);
    return { content: { case: "shopErasure", value: {} } };
  },
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
  shopOf({ myshopify_domain: ofShop, shop_domain: ofRequest }) {
    const shop = ofShop ?? ofRequest;
    return typeof shop === "string" ? shop.toLowerCase() : undefined;
  },
  translate(topic, payload) {
    const isOfStore = Object.hasOwn(storeTopics, topic);
    const translate = isOfStore ? storeTopics[topic] : Object.hasOwn(topics, topic) ? topics[topic] : undefined;
    try {
      return translate?.(payload);
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error;
      if (isOfStore) throw badRequest("body", `is not a message on the topic ${topic}`);
      throw new UnreadableBody(faultOf(error), { cause: error });
    }
  },
};

// Names the first fault by its path and code, because Zod's messages could contain values.
function faultOf({ issues }: z.ZodError): Reason {
  const [first] = issues;
  const path = first?.path.join(".") ?? "";
  const fault = first?.code ?? "unknown";
  return path === ""
    ? reason("message_malformed", { fault })
    : reason("message_field_malformed", { field: path, fault });
}
