import type { Registry } from "prom-client";
import { isUnavailable, ServiceError } from "#shared/errors/service-error.ts";
import { createLabelledCounter } from "#shared/observe/labelled-counter.ts";
import type { EdgeContext } from "../http/edge-context.ts";
import type { GateOutcome, LoadGate } from "./load-gate.ts";

interface LoadLimitDeps {
  readonly loadGate: LoadGate;
  readonly metrics: Registry;
}

/**
 * Runs `work` if the load gate admits the request; otherwise refuses the request without a call to the registry.
 *
 * @param key identifies the API key
 * @throws ServiceError `unavailable` for a refused request, or the error of `work`
 */
export type LimitLoad = <T>(ctx: EdgeContext, key: string, work: () => Promise<T>) => Promise<T>;

// Created once, because a refusal must be cheap and creating an error with its stack trace is not.
const refusals = {
  key: tooBusy("the key has too many requests in progress for an overloaded registry"),
  total: tooBusy("too many requests are in progress (EDGE_LISTS_MAX)"),
} as const;

/** Creates a {@link LimitLoad} that counts refused requests in `edge_shed_requests_total`. */
export function createLoadLimit({ loadGate, metrics }: LoadLimitDeps): LimitLoad {
  const countShed = createLabelledCounter(metrics, {
    name: "edge_shed_requests_total",
    help: "Requests refused with 503 without a call to the registry, because their API key had too many requests in progress while the registry was overloaded (key) or had used its share of EDGE_LISTS_MAX (total).",
    label: "why",
    values: ["key", "total"],
  });
  return async (ctx, key, work) => {
    const why = loadGate.enter(key);
    if (why !== undefined) {
      countShed(why);
      throw refusals[why];
    }
    let outcome: GateOutcome = "decided";
    try {
      return await work();
    } catch (error) {
      outcome = outcomeOf(error, ctx.state.clientSignal);
      throw error;
    } finally {
      loadGate.leave(key, outcome);
    }
  };
}

function outcomeOf(error: unknown, clientSignal: AbortSignal): GateOutcome {
  if (clientSignal.aborted) return "left";
  return isUnavailable(error) ? "unavailable" : "decided";
}

function tooBusy(reason: string): ServiceError {
  const message = "The service is too busy. Wait for the number of seconds in Retry-After, then retry.";
  return new ServiceError("unavailable", message, { cause: new Error(reason) });
}
