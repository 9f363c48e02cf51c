/**
 * Returns the id of the document that stores the first answer for an idempotency key. Unambiguous because store ids
 * contain no slash.
 */
export function answerKey(storeId: string, idempotencyKey: string): string {
  return `${storeId}/${idempotencyKey}`;
}

/** Returns the idempotency key from a document id made by {@link answerKey}. */
export function idempotencyKeyOf(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}
