/** Prints one line to standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints one line to standard error. */
export function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}

/**
 * Handles readers that close their pipe early, as `head` does: ends the process quietly once standard output has no
 * reader, and discards messages once standard error has no reader.
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
