import { Code } from "@connectrpc/connect";
import type { Registry } from "prom-client";
import type { Logger } from "#shared/observe/logger.ts";
import { callDurations, codeName } from "#shared/observe/observe-client-calls.ts";
import { isShedReason } from "../load/load-shed-error.ts";
import type { CallObserver } from "../rpc/server/call-context.ts";

/** The status codes of calls that failed for a fault of the registry or of a server that it uses. */
export const serverFaults: readonly string[] = [Code.Internal, Code.Unknown, Code.DataLoss, Code.Unavailable].map(
  (code) => Code[code],
);

/**
 * Creates an observer that logs and measures each gRPC call. Server faults are logged as errors, with their cause. Shed
 * calls are logged only at level debug, because there can be thousands per second; `registry_load_shed_total` counts
 * them.
 */
export function observeCalls(logger: Logger, metrics: Registry): CallObserver {
  const durations = callDurations(metrics, {
    name: "registry_grpc_call_duration_seconds",
    help: "Duration of gRPC calls, by method and status code",
  });
  return ({ method, durationMs, requestId, traceId, error }) => {
    const code = codeName(error?.code);
    durations.observe({ method, code }, durationMs / 1_000);
    const line = { method, code, ms: Math.round(durationMs * 10) / 10, requestId, trace_id: traceId };
    if (error === undefined) logger.debug(line, "call");
    else if (isShedReason(error.cause)) logger.debug({ ...line, shed: error.cause }, "call");
    else if (serverFaults.includes(code)) logger.error({ ...line, err: error.cause ?? error }, "call");
    else logger.info({ ...line, message: error.rawMessage }, "call");
  };
}
