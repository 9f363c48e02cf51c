import type { Network } from "#shared/address-guard/network.ts";
import { clientAddress } from "../http/client-address.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";

/** Stores the client's address in the state. @param proxies networks whose `X-Forwarded-For` is trusted */
export function setClientAddress(proxies: readonly Network[]): EdgeMiddleware {
  return (ctx, next) => {
    const forwardedFor = ctx.req.headersDistinct["x-forwarded-for"] ?? [];
    ctx.state.client = clientAddress({ peer: ctx.req.socket.remoteAddress, forwardedFor }, proxies);
    return next();
  };
}
