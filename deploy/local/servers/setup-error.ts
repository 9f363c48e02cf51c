/**
 * A local server cannot be installed, started or used. The message is one sentence with the problem and the
 * remedy, and may end with the last lines of a log; print it without a stack.
 */
export class SetupError extends Error {
  override name = "SetupError";
}

/** Returns the message of any error, for a log line. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
