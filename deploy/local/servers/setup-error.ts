/**
 * Something on this machine stands in the way of a local server. The message is one sentence (last log lines may follow it)
 * that says what is wrong and the way out; print it without a stack.
 */
export class SetupError extends Error {
  override name = "SetupError";
}

/** The sentence of any error, for a line of the log. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
