import { Counter, type Registry } from "prom-client";
import { Admission, type AdmitResponse } from "#gen/registry/v1/edge_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { hashApiKey } from "#shared/keys/api-key.ts";
import type { EdgeContext, EdgeMiddleware } from "../http/edge-context.ts";
import type { KeyGuard, LookupResult } from "../limits/key-guard.ts";
import type { RegistryClient } from "../registry-client/registry-client.ts";
import { admissionDecision } from "./admission-decision.ts";
import { bearerKey, unknownKey } from "./bearer-key.ts";

interface AdmissionDeps {
  readonly registry: Pick<RegistryClient, "admit">;
  readonly keyGuard: KeyGuard;
  readonly metrics: Registry;
}

/**
 * Passes on admitted requests. Refuses all others with 401, 403 or 429, checked in this order, before the query is
 * parsed. Malformed keys and keys that the guard rejects are refused without a call to the registry. Only the hash of a
 * key leaves this process.
 */
export function admission({ registry, keyGuard, metrics }: AdmissionDeps): EdgeMiddleware {
  const badKeys = new Counter({
    name: "edge_bad_keys_total",
    help: "Rejected requests with a well-formed key: looked_up in the registry, remembered as unknown, or limited without a lookup.",
    labelNames: ["how"],
    registers: [metrics],
  });
  const admit = async (ctx: EdgeContext, hash: Uint8Array): Promise<AdmitResponse> => {
    await keyGuard.pendingLookup(hash);
    const decision = keyGuard.check(hash, ctx.state.client?.group ?? "unknown");
    if (decision.kind === "unknown") {
      badKeys.inc({ how: "remembered" });
      throw unknownKey();
    }
    if (decision.kind === "limited") {
      badKeys.inc({ how: "limited" });
      ctx.set("Retry-After", String(decision.waitSeconds));
      // Not 401: the key may be valid, and "create a new key" would be the wrong remedy.
      throw new ServiceError(
        "rate_limited",
        "Your IP address sent too many requests with invalid API keys. Wait for the number of seconds in Retry-After, then retry.",
      );
    }
    let result: LookupResult = "undecided";
    try {
      const response = await registry.admit(hash, ctx.state.requestId);
      result = response.admission === Admission.UNKNOWN_KEY ? "unknown" : "known";
      if (result === "unknown") badKeys.inc({ how: "looked_up" });
      return response;
    } finally {
      decision.settle(result);
    }
  };
  return async (ctx, next) => {
    const { authorization } = ctx.req.headersDistinct;
    const response = await admit(ctx, hashApiKey(bearerKey(authorization)));
    if (response.storeId !== "") ctx.state.storeId = response.storeId;
    const { refusal, headers } = admissionDecision(response);
    ctx.set(headers);
    if (refusal !== undefined) throw refusal;
    await next();
  };
}

/**
 * Returns the store id of an admitted request.
 *
 * @throws Error on a route without the {@link admission} middleware, which is a bug
 */
export function admittedStore(ctx: EdgeContext): string {
  if (ctx.state.storeId === undefined) throw new Error("the route has no admission middleware");
  return ctx.state.storeId;
}
