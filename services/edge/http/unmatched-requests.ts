import { ServiceError } from "#shared/errors/service-error.ts";
import type { EdgeMiddleware } from "./edge-context.ts";

/** Rejects every request with 405. Registered for known paths, after the handlers of the methods that they support. */
export function methodNotAllowed(methods: readonly string[]): EdgeMiddleware {
  return (ctx) => {
    ctx.set("Allow", methods.join(", "));
    const message = `This path does not support ${ctx.method}. Use ${methods.join(" or ")}.`;
    throw new ServiceError("method_not_allowed", message);
  };
}

/** Answers unknown paths with 404. The message does not repeat the path, which may contain secrets. */
export function notFound(): EdgeMiddleware {
  return () => {
    throw new ServiceError("not_found", "No resource exists at this path. To list certificates, use /v1/certificates.");
  };
}
