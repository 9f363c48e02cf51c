import type { Network } from "#shared/address-guard/network.ts";
import { clientAddress } from "../http/client-address.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";

/** Notes where the request comes from. @param proxies whose `X-Forwarded-For` is believed */
export function noteClientAddress(proxies: readonly Network[]): EdgeMiddleware {
  return (ctx, next) => {
    const forwardedFor = ctx.req.headersDistinct["x-forwarded-for"] ?? [];
    ctx.state.client = clientAddress({ peer: ctx.req.socket.remoteAddress, forwardedFor }, proxies);
    return next();
  };
}
