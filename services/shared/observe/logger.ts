import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from "pino";
import { activeTraceId } from "../trace/spans.ts";
import { errorForLog } from "./error-for-log.ts";
import { redactSecrets } from "./redact-secrets.ts";

export type { Logger } from "pino";

/**
 * Creates a logger that writes one JSON object per line to standard output, with ISO 8601 times and, inside a trace, its
 * id as `trace_id`. Callers must not log
 * the value of a secret, only that it is configured. Thrown errors belong in the field `err`, which shows no document
 * and no secret, and the messages of errors in the field `reason`, which shows no secret.
 *
 * @param level `trace` … `fatal` or `silent`; default `info`
 * @param output default: standard output
 */
export function createLogger(service: string, level = "info", output: DestinationStream = standardOutput()): Logger {
  const options = { base: { service }, timestamp: stdTimeFunctions.isoTime, serializers };
  return pino({ level, ...options, mixin }, output);
}

const noTrace = {};

/** Adds the id of the active trace to a line. */
function mixin(): object {
  const traceId = activeTraceId();
  return traceId === undefined ? noTrace : { trace_id: traceId };
}

const serializers = {
  err: errorForLog,
  reason: (reason: unknown) => (typeof reason === "string" ? redactSecrets(reason) : reason),
};

// Buffers up to 4 KiB; flushes every 100 ms and when the process exits.
function standardOutput(): DestinationStream {
  return destination({ sync: false, minLength: 4_096, periodicFlush: 100 });
}
