/** The key under which a request's first answer is kept: a store's id holds no slash. */
export function requestKey(storeId: string, requestId: string): string {
  return `${storeId}/${requestId}`;
}

/** The request's id in a key. */
export function requestOf(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}
