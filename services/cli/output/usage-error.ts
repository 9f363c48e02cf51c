/** An invalid command line that Commander cannot detect. The exit code is 2. */
export class UsageError extends Error {
  override name = "UsageError";
}
