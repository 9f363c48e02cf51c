import { ServiceError } from "#shared/errors/service-error.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";

/**
 * Answers a known path's other methods: 405.
 *
 * @param allowed the methods for the `Allow` header, such as `GET, HEAD`
 */
export function methodNotAllowed(allowed: string): EdgeMiddleware {
  return (ctx) => {
    ctx.set("Allow", allowed);
    throw new ServiceError("method_not_allowed", `${ctx.method} is not allowed here. Use ${allowed}.`);
  };
}
