import type { Store } from "../stores/store.ts";
import type { StoreDocument } from "./documents.ts";

/** The store in a document. */
export function storeOf(document: StoreDocument): Store {
  const { _id: id, shop, settings, webhook } = document;
  return { id, shop, settings, hasWebhook: webhook !== null };
}
