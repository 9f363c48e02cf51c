/**
 * Handles readers that close their pipe early, as `head` does: ends the process quietly once standard output has no
 * reader, and ignores messages that cannot be written to standard error.
 */
export function handleClosedOutput(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
  process.stderr.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}
