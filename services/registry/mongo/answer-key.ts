/**
 * Returns the document id of the first answer to an idempotency key. Unambiguous because store ids contain no slash.
 */
export function answerKey(storeId: string, idempotencyKey: string): string {
  return `${storeId}/${idempotencyKey}`;
}

/** Returns the idempotency key from a document id made by {@link answerKey}. */
export function idempotencyKeyOf(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}
