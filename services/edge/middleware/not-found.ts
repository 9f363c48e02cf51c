import { ServiceError } from "#shared/errors/service-error.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";

/** Answers every path that is none of ours: 404. The path is not repeated: it may hold anything. */
export function notFound(): EdgeMiddleware {
  return () => {
    throw new ServiceError(
      "not_found",
      "There is nothing at this path. Certificates are at /v1/certificates.",
    );
  };
}
