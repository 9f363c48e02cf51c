import { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";

/**
 * What a failed call to the registry means to the API's caller. Only two failures are the caller's concern; all others
 * are faults between our own services (a method that an older registry lacks, a reply that is too large), and their
 * gRPC statuses must not turn into 401, 405 or 429.
 */
export function registryFailure(error: unknown): ServiceError {
  const failure = toServiceError(error);
  if (failure.code === "unavailable") return failure;
  if (failure.code === "bad_request" && failure.field !== undefined) return failure;
  return new ServiceError("internal", "the registry failed", { cause: error });
}
