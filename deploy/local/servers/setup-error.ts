/**
 * Thrown when a local server cannot be installed, started or used. The message states the problem and the remedy in one
 * sentence, and may end with the last lines of a log. Print the message without the stack trace.
 */
export class SetupError extends Error {
  override name = "SetupError";
}

/** Returns the message of any error, for a log line. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
