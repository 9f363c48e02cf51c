/** Returns the document id of the first answer to an idempotency key. Unambiguous: a store's id contains no slash. */
export function answerKey(storeId: string, idempotencyKey: string): string {
  return `${storeId}/${idempotencyKey}`;
}

/** Returns the idempotency key in a document id of {@link answerKey}. */
export function idempotencyKeyOf(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}
