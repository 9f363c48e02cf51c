import type { Latencies } from "../runner/latencies.ts";
import type { CheckReport } from "../runner/run-check.ts";
import type { LoadOptions } from "./options.ts";

interface LoadReport {
  /** Latencies of the regular clients alone. */
  readonly without: Latencies;
  /** Latencies of the regular clients while slow clients are connected. */
  readonly beside: Latencies;
  /** Number of slow connections that were open at the end of the second measurement. */
  readonly open: number;
  /** Number of slow connections that the edge closed. */
  readonly closed: number;
  /** Whether both measurements ran to their end. */
  readonly complete: boolean;
}

/**
 * Reports a run. The run passes when no request failed while slow clients were connected and, unless the run ended
 * early, at least one request succeeded.
 */
export function reportOf(options: LoadOptions, { without, beside, open, closed, complete }: LoadReport): CheckReport {
  const { connections, addresses, seconds, clients } = options;
  const counts = { connections, addresses, seconds, clients, open, closed };
  return {
    lines: [
      `without slow clients: ${textOf(without)}`,
      `with slow clients: ${textOf(beside)}; ${open} open connections, ${closed} closed by the edge`,
    ],
    json: JSON.stringify({ ...counts, without: jsonOf(without), with: jsonOf(beside), complete }),
    passed: beside.failed === 0 && (beside.requests > 0 || !complete),
    complete,
  };
}

function textOf({ requests, failed, p50Ms, p99Ms }: Latencies): string {
  return `${requests} requests, ${failed} failed, p50 ${p50Ms} ms, p99 ${p99Ms} ms`;
}

function jsonOf({ requests, failed, p50Ms, p99Ms }: Latencies) {
  return { requests, failed, p50_ms: p50Ms, p99_ms: p99Ms };
}
