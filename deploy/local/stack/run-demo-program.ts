/**
 * Runs a demo program as this process. SIGTERM and SIGINT stop it; a second signal ends the process at once. Exits with
 * 1, after printing the error, when the program cannot start.
 *
 * @param start receives the function that prints a line
 */
export function runDemoProgram(start: (print: (line: string) => void) => Promise<{ stop(): Promise<void> }>): void {
  const starting = Promise.try(start, (line) => void process.stdout.write(`${line}\n`));
  let isStopping = false;
  const stop = () => {
    if (isStopping) process.exit(1);
    isStopping = true;
    starting.then((program) => program.stop()).then(() => process.exit(0));
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  starting.catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  });
}
