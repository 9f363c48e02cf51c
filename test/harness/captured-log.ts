import { pino } from "pino";

/** Creates a logger that keeps its lines in memory, parsed. */
export function captureLog() {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const logger = pino({ level: "debug" }, { write: (line) => void lines.push(JSON.parse(line)) });
  return { logger, lines };
}
