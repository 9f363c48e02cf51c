import { ServiceError } from "#shared/errors/service-error.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";

/**
 * Answers all other methods of a known path with 405.
 *
 * @param allowed the methods for the `Allow` header, such as `GET, HEAD`
 */
export function methodNotAllowed(allowed: string): EdgeMiddleware {
  return (ctx) => {
    ctx.set("Allow", allowed);
    const methods = allowed.replaceAll(", ", " or ");
    throw new ServiceError("method_not_allowed", `This path does not support ${ctx.method}. Use ${methods}.`);
  };
}
