import { createLogger, type Logger } from "#shared/observe/logger.ts";
import { findLeaks } from "./find-leaks.ts";
import { requireNoLeaks } from "./require-clean-logs.ts";

/** The logger of a service that runs in the test's process. */
export interface ScannedLogger {
  readonly logger: Logger;
  /** @throws Error if a line logged so far contains a key, secret, cursor or e-mail address */
  requireClean(): void;
}

/** Creates a logger that checks the lines of all levels, as a log file would contain them, and discards them. */
export function createScannedLogger(service: string): ScannedLogger {
  const leaks: string[] = [];
  const write = (line: string) => {
    for (const { kind, masked } of findLeaks(line)) leaks.push(`${service} (${kind}): ${masked}`);
  };
  return { logger: createLogger(service, "trace", { write }), requireClean: () => requireNoLeaks(leaks) };
}
