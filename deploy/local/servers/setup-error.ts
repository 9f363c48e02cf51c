/**
 * Thrown when the local setup fails for an expected reason: a server cannot be installed, started or used, an argument
 * is invalid, or a command fails. The message states the problem and, where there is one, the remedy; it may end with
 * details such as the last lines of a log. Print the message without the stack trace.
 */
export class SetupError extends Error {
  override name = "SetupError";
}

/** Returns the message of any error, for a log line. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
