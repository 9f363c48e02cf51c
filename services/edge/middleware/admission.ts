import { hashApiKey } from "#shared/keys/api-key.ts";
import type { EdgeContext, EdgeMiddleware } from "../http/edge-context.ts";
import type { RegistryClient } from "../registry-client/registry-client.ts";
import { admissionDecision } from "./admission-decision.ts";
import { bearerKey } from "./bearer-key.ts";

/**
 * Lets only admitted requests on: 401, 403, 429 in this order, before the query is looked at. A text that cannot be a key
 * is refused without asking the registry; of a key, only the hash leaves this process.
 */
export function admission(registry: RegistryClient): EdgeMiddleware {
  return async (ctx, next) => {
    const { authorization } = ctx.req.headersDistinct;
    const reply = await registry.admit(hashApiKey(bearerKey(authorization)), ctx.state.requestId);
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
