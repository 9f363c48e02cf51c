import { destination, type Logger, pino, stdTimeFunctions } from "pino";

export type { Logger } from "pino";

/**
 * Creates a logger that writes one JSON object per line to standard output, with ISO 8601 times. Callers must not log
 * the value of a secret, only that it is configured.
 *
 * @param level `trace` … `fatal` or `silent`; default `info`
 */
export function createLogger(service: string, level = "info"): Logger {
  // Buffers lines under load; flushes them every 100 ms and when the process exits.
  const output = destination({ sync: false, minLength: 4_096, periodicFlush: 100 });
  return pino({ level, base: { service }, timestamp: stdTimeFunctions.isoTime }, output);
}
