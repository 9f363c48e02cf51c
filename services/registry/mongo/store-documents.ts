import type { Store } from "../values/store.ts";
import type { StoreDocument } from "./documents.ts";

/** Converts a document to its store. */
export function storeOf(document: StoreDocument): Store {
  const { _id: id, shop, settings, webhook } = document;
  return { id, shop, settings, hasWebhook: webhook !== null };
}
