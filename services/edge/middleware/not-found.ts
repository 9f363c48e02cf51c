import { ServiceError } from "#shared/errors/service-error.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";

/** Answers unknown paths with 404. The message does not repeat the path, which may contain secrets. */
export function notFound(): EdgeMiddleware {
  return () => {
    throw new ServiceError(
      "not_found",
      "No resource exists at this path. To list certificates, use /v1/certificates.",
    );
  };
}
