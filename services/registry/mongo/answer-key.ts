/** The key under which a request's first answer is kept: a store's id holds no slash. */
export function answerKey(storeId: string, idempotencyKey: string): string {
  return `${storeId}/${idempotencyKey}`;
}

/** The request's id in a key. */
export function idempotencyKeyOf(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}
