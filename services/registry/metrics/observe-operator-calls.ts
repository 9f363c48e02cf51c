import { Code } from "@connectrpc/connect";
import { Gauge, type Registry } from "prom-client";
import type { Logger } from "#shared/observe/logger.ts";
import { callDurations } from "#shared/observe/observe-client-calls.ts";
import type { OperatorCallObserver } from "../operator-api/operator-call.ts";
import { serverFaults } from "./observe-calls.ts";

/**
 * Creates an observer that measures each call of the operator API, and logs it without its body and token. Once a peer
 * has failed to authenticate too often, its further failures to authenticate are measured, but not logged.
 */
export function observeOperatorCalls(logger: Logger, metrics: Registry): OperatorCallObserver {
  const durations = callDurations(metrics, {
    name: "registry_operator_call_duration_seconds",
    help: "Duration of operator API calls, by method and status code",
  });
  return ({ method, actor, peer, code, durationMs, cause, isLimited }) => {
    durations.observe({ method, code }, durationMs / 1_000);
    if (isLimited) return;
    const line = { method, actor, peer, code, ms: Math.round(durationMs * 10) / 10 };
    if (serverFaults.includes(code)) logger.error({ ...line, err: cause }, "operator call");
    else if (code === Code[Code.Unauthenticated]) logger.warn(line, "operator call");
    else logger.info(line, "operator call");
  };
}

/** Registers `registry_operators_file_valid`. @returns a function to call after each read of the operators' file */
export function observeOperatorsFile(metrics: Registry): (isValid: boolean) => void {
  const valid = new Gauge({
    name: "registry_operators_file_valid",
    help: "1 if the operators' file was valid when it was last read, otherwise 0",
    registers: [metrics],
  });
  return (isValid) => valid.set(isValid ? 1 : 0);
}
