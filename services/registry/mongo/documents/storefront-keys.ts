/** Returns the document id of a store's message, order or product. Unambiguous because store ids contain no slash. */
export function storefrontKey(storeId: string, id: string): string {
  return `${storeId}/${id}`;
}

/** Returns the platform's id from a document id made by {@link storefrontKey}. */
export function platformIdOf(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}
