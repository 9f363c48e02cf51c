import { exitOnSignals } from "./exit-on-signals.ts";

/**
 * Runs a demo program as this process. SIGTERM and SIGINT stop it; a second signal ends the process at once. Exits with
 * 1, after printing the error, when the program cannot start.
 *
 * @param start receives the function that prints a line
 */
export function runDemoProgram(start: (print: (line: string) => void) => Promise<{ stop(): Promise<void> }>): void {
  const starting = Promise.try(start, (line) => void process.stdout.write(`${line}\n`));
  exitOnSignals().addEventListener("abort", () =>
    starting.then((program) => program.stop()).then(() => process.exit(0)),
  );
  starting.catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  });
}
