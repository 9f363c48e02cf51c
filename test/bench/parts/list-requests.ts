import { inStore } from "../../harness/in-store.ts";
import type { BenchStack } from "../bench-stack.ts";
import { createStores, issueIn } from "./stores.ts";

/** A store with certificates and an API key. */
export interface ListedStore {
  readonly storeId: string;
  readonly apiKey: string;
}

/** Creates stores, each with an API key and this number of certificates. */
export async function createListedStores(
  stack: BenchStack,
  count: number,
  certificates: number,
): Promise<ListedStore[]> {
  const stores: ListedStore[] = [];
  for (const storeId of await createStores(stack, count)) {
    await issueIn(stack, storeId, certificates);
    const { apiKey } = await stack.registry.admin.createApiKey({ label: "bench" }, inStore(storeId));
    stores.push({ storeId, apiKey });
  }
  return stores;
}

/** Returns an HTTP request to the edge for a page. */
export function edgeRequest(apiKey: string, query: string): string {
  return request(`/v1/certificates?${query}`, `Authorization: Bearer ${apiKey}\r\n`);
}

/**
 * Returns an HTTP request to the bare process for a page.
 *
 * @param query `limit`, `cursor` (the time after which the page begins), and `counted` if the process counts it
 */
export function bareRequest(storeId: string, query: string): string {
  return request(`/${storeId}/v1/certificates?${query}`, "");
}

function request(target: string, headers: string): string {
  return `GET ${target} HTTP/1.1\r\nHost: bench.example.test\r\n${headers}\r\n`;
}
