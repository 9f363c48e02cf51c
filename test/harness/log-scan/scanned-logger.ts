import { createLogger } from "#shared/observe/logger.ts";
import { findLeaks } from "./find-leaks.ts";
import { noteProblem } from "./recent-problems.ts";
import { requireNoLeaks } from "./require-clean-logs.ts";

/**
 * Creates a logger that writes nothing, but checks the lines of all levels as they would appear in a log file.
 *
 * @param onLine also receives each line
 */
export function createScannedLogger(service: string, onLine?: (line: string) => void) {
  const leaks: string[] = [];
  const write = (line: string) => {
    onLine?.(line);
    noteProblem(line);
    for (const { kind, masked } of findLeaks(line)) leaks.push(`${service} (${kind}): ${masked}`);
  };
  return { logger: createLogger(service, "trace", { write }), requireClean: () => requireNoLeaks(leaks) };
}
