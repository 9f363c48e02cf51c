import type { Store } from "../stores/store.ts";
import type { StoreDocument } from "./documents.ts";

/** The store in a document. */
export function storeOf(document: StoreDocument): Store {
  return { id: document._id, shop: document.shop, settings: document.settings, webhook: document.webhook };
}
