import type { IncomingMessage } from "node:http";
import type { PlatformAdapter } from "./platform-adapter.ts";
import { shopifyAdapter } from "./shopify/shopify-adapter.ts";

/** The adapters of all supported platforms. */
export const adapters: readonly PlatformAdapter[] = [shopifyAdapter];

export function webhookPath({ name }: Pick<PlatformAdapter, "name">): string {
  return `/storefront/${name}/webhooks`;
}

/** Returns the adapter of the platform whose webhook path a POST request targets; undefined for any other request. */
export function adapterFor({ method, url }: Pick<IncomingMessage, "method" | "url">): PlatformAdapter | undefined {
  const path = url?.split("?", 1)[0];
  return method === "POST" ? adapters.find((adapter) => webhookPath(adapter) === path) : undefined;
}
