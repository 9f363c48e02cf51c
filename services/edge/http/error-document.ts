import type { ErrorCode } from "#shared/errors/error-codes.ts";

/** The content type of every body that the edge sends. */
export const jsonType = "application/json; charset=utf-8";

/** The body of a refusal, UTF-8: `error` and `message`, nothing else (INTERFACE.md §7). */
export function errorDocument(code: ErrorCode, message: string): Buffer {
  return Buffer.from(JSON.stringify({ error: code, message }));
}
