import { pino } from "pino";

/**
 * Collects parsed log lines in memory: those of the returned logger, without time and process, and those passed to
 * `onLogLine`.
 */
export function captureLog() {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const onLogLine = (line: string) => void lines.push(JSON.parse(line));
  return { logger: pino({ base: null, timestamp: false }, { write: onLogLine }), lines, onLogLine };
}
