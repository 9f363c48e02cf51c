import { Counter, type Registry } from "prom-client";
import { Admission, type AdmitResponse } from "#gen/registry/v1/edge_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { hashApiKey } from "#shared/keys/api-key.ts";
import type { EdgeContext, EdgeMiddleware } from "../http/edge-context.ts";
import type { KeyFound, KeyGuard } from "../limits/key-guard.ts";
import type { RegistryClient } from "../registry-client/registry-client.ts";
import { admissionDecision } from "./admission-decision.ts";
import { bearerKey, unknownKey } from "./bearer-key.ts";

/** What {@link admission} works with. */
export interface AdmissionDeps {
  readonly registry: Pick<RegistryClient, "admit">;
  readonly keyGuard: KeyGuard;
  readonly metrics: Registry;
}

/**
 * Lets only admitted requests on: 401, 403, 429 in this order, before the query is looked at. A text that cannot be a key
 * is refused without asking the registry, and so is what the guard says; of a key, only the hash leaves this process.
 */
export function admission({ registry, keyGuard, metrics }: AdmissionDeps): EdgeMiddleware {
  const badKeys = new Counter({
    name: "edge_bad_keys_total",
    help: "Requests with a well-formed key that was refused: looked_up, remembered as unknown, or limited unseen.",
    labelNames: ["how"],
    registers: [metrics],
  });
  const lookUp = async (ctx: EdgeContext, hash: Uint8Array): Promise<AdmitResponse> => {
    await keyGuard.whenLookedUp(hash);
    const verdict = keyGuard.judge(hash, ctx.state.client?.group ?? "unknown");
    if (verdict.kind === "unknown") {
      badKeys.inc({ how: "remembered" });
      throw unknownKey();
    }
    if (verdict.kind === "limited") {
      badKeys.inc({ how: "limited" });
      ctx.set("Retry-After", String(verdict.waitSeconds));
      throw tooManyUnknownKeys();
    }
    let found: KeyFound = "undecided";
    try {
      const reply = await registry.admit(hash, ctx.state.requestId);
      found = reply.admission === Admission.UNKNOWN_KEY ? "unknown" : "known";
      if (found === "unknown") badKeys.inc({ how: "looked_up" });
      return reply;
    } finally {
      verdict.settle(found);
    }
  };
  return async (ctx, next) => {
    const { authorization } = ctx.req.headersDistinct;
    const reply = await lookUp(ctx, hashApiKey(bearerKey(authorization)));
    if (reply.storeId !== "") ctx.state.storeId = reply.storeId;
    const { refusal, headers } = admissionDecision(reply);
    ctx.set(headers);
    if (refusal !== undefined) throw refusal;
    await next();
  };
}

/** The store of an admitted request. Throws where {@link admission} has not run: a route without it is a mistake. */
export function admittedStore(ctx: EdgeContext): string {
  if (ctx.state.storeId === undefined) throw new Error("this route has no admission");
  return ctx.state.storeId;
}

// Not 401: the key may be good, and "create a new key" would be the wrong advice.
function tooManyUnknownKeys(): ServiceError {
  return new ServiceError(
    "rate_limited",
    "Too many requests with unknown API keys come from your address. Wait as many seconds as Retry-After says.",
  );
}
