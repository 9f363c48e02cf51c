import { randomBytes, randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { signedHeaders } from "../../../services/cli/commands/storefront/send-message.ts";
import { openTemporaryFolder } from "../files/temporary-folder.ts";

/** A webhook message from the platform; all fields except the payload are sent as `X-Shopify-…` headers. */
export interface PlatformMessage {
  readonly shop: string;
  readonly topic: string;
  /** The raw body, or an object to send as JSON with the fields by which the platform names the store. */
  readonly payload: object | string;
  /** Default: a new id. */
  readonly webhookId?: string;
  /** Default: no header. */
  readonly triggeredAt?: string;
  /** Default: the correct signature. */
  readonly signature?: string;
}

/** A simulated storefront platform that signs an app's webhook messages as Shopify does. */
export interface TestPlatformApp {
  /** File with the app's secret. */
  readonly secretFile: string;
  /** Sends a message to an edge. */
  send(edgeUrl: string, message: PlatformMessage): Promise<Response>;
}

const ofShop = (shop: string) => ({ shop_id: 1, shop_domain: shop });

/** Fields that the platform adds to the payloads of a topic. */
const ownFields: Readonly<Record<string, (shop: string, at: string | undefined) => object>> = {
  "app/installed": (shop, at = new Date().toISOString()) => ({ shop_domain: shop, installed_at: at }),
  "app/uninstalled": (shop) => ({ id: 1, name: "Shop", domain: shop, myshopify_domain: shop }),
  "customers/data_request": ofShop,
  "customers/redact": ofShop,
  "shop/redact": ofShop,
  "products/create": () => ({ title: "Alpine Jacket" }),
  "products/update": () => ({ title: "Alpine Jacket" }),
};

/** Creates an app with a random secret. @param onEnd registers a function that removes the secret's file */
export async function openTestPlatformApp(onEnd: (remove: () => Promise<void>) => void): Promise<TestPlatformApp> {
  const secret = randomBytes(32).toString("hex");
  const folder = await openTemporaryFolder("platform-app", onEnd);
  const secretFile = join(folder, "secret");
  await writeFile(secretFile, `${secret}\n`);
  return {
    secretFile,
    send: (edgeUrl, { shop, topic, payload, webhookId = randomUUID(), triggeredAt, signature }) => {
      const own = ownFields[topic]?.(shop, triggeredAt) ?? {};
      const body = typeof payload === "string" ? payload : JSON.stringify({ ...own, ...payload });
      return fetch(`${edgeUrl}/storefront/shopify/webhooks`, {
        method: "POST",
        headers: {
          ...signedHeaders(Buffer.from(secret), { topic, shop, webhookId, triggeredAt, body }),
          ...(signature !== undefined && { "X-Shopify-Hmac-Sha256": signature }),
        },
        body,
      });
    },
  };
}
