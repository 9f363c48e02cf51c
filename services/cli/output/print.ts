/** Prints one line to standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints one line to standard error. */
export function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}
