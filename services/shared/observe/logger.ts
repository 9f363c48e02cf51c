import { destination, type Logger, pino, stdTimeFunctions } from "pino";

export type { Logger } from "pino";

/**
 * A service's logger: one JSON object per line on standard output, times in ISO 8601. Secrets never reach it: what may
 * hold one is logged as "configured".
 *
 * @param level `trace` … `fatal` or `silent`; default `info`
 */
export function createLogger(service: string, level = "info"): Logger {
  // Under load lines are written together; what waits goes after a moment, or when the process exits.
  const output = destination({ sync: false, minLength: 4_096, periodicFlush: 100 });
  return pino({ level, base: { service }, timestamp: stdTimeFunctions.isoTime }, output);
}
