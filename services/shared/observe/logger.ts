import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from "pino";
import { activeTraceId } from "../trace/spans.ts";
import { errorForLog } from "./error-for-log.ts";
import { redactSecrets } from "./redact-secrets.ts";

export type { Logger } from "pino";

/**
 * Creates a logger that writes one JSON object per line to standard output, with ISO 8601 times and, inside a trace,
 * the trace's id as `trace_id`. Callers must not log the value of a secret, only that it is configured. Log a thrown
 * error as `err`, from which documents and secrets are removed, and an error's message as `reason`, from which secrets
 * are removed.
 *
 * @param level `trace` … `fatal` or `silent`; default `info`
 * @param output default: standard output
 */
export function createLogger(service: string, level = "info", output: DestinationStream = standardOutput()): Logger {
  const options = { base: { service }, timestamp: stdTimeFunctions.isoTime, serializers };
  return pino({ level, ...options, mixin: traceFields, mixinMergeStrategy: withTrace }, output);
}

const noTrace = {};

function traceFields(): object {
  const traceId = activeTraceId();
  return traceId === undefined ? noTrace : { trace_id: traceId };
}

// A trace_id that the line already has takes precedence. Most lines belong to no trace and are not copied.
function withTrace(line: object, trace: object): object {
  return trace === noTrace ? line : { ...trace, ...line };
}

const serializers = {
  err: errorForLog,
  reason: (reason: unknown) => (typeof reason === "string" ? redactSecrets(reason) : reason),
};

// Buffers up to 12 KiB; flushes every 100 ms and when the process exits. Each write wakes another thread.
function standardOutput(): DestinationStream {
  return destination({ sync: false, minLength: 12_288, periodicFlush: 100 });
}
