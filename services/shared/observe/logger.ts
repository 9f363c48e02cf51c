import { destination, type Logger, pino, stdTimeFunctions } from "pino";

export type { Logger } from "pino";

/**
 * A service's logger: one JSON object per line on standard output, times in ISO 8601. Secrets never reach it: what may
 * hold one is logged as "configured".
 *
 * @param level `trace` … `fatal` or `silent`; default `info`
 */
export function createLogger(service: string, level = "info"): Logger {
  // Lines that come while others are written go together; at the exit of the process the rest is written at once.
  const output = destination({ sync: false });
  return pino({ level, base: { service }, timestamp: stdTimeFunctions.isoTime }, output);
}
