/** Returns the code of an error of the system or of Node, such as `ENOENT`; undefined if it has none. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
