import { Code } from "@connectrpc/connect";
import { Histogram, type Registry } from "prom-client";

/** Called at the end of each unary gRPC call, and of each list request that the edge sends on a stream. */
export type ClientCallObserver = (call: {
  /** `package.Service/Method`. */
  readonly method: string;
  readonly durationMs: number;
  /** The gRPC status; undefined for a successful call. */
  readonly code: Code | undefined;
}) => void;

/** Registers `grpc_client_call_duration_seconds`, which includes the network and the wait for a connection. */
export function observeClientCalls(metrics: Registry): ClientCallObserver {
  const durations = callDurations(metrics, {
    name: "grpc_client_call_duration_seconds",
    help: "Duration of gRPC calls to the registry as seen by the caller, by method and status code",
  });
  return ({ method, durationMs, code }) => durations.observe({ method, code: codeName(code) }, durationMs / 1_000);
}

/** Registers a histogram of the durations of gRPC calls, in seconds. */
export function callDurations(metrics: Registry, named: { readonly name: string; readonly help: string }) {
  const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
  return new Histogram({ ...named, labelNames: ["method", "code"] as const, buckets, registers: [metrics] });
}

/** Returns the label of a status. @param code undefined for a successful call */
export function codeName(code: Code | undefined): string {
  return code === undefined ? "OK" : (Code[code] ?? "Unknown");
}
