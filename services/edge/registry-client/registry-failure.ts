import { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";

/**
 * Converts a failed registry call into the error for the API's client. Only `unavailable` and a `bad_request` with a field
 * concern the client. All other failures are faults between our services (a method that an older registry lacks, a response
 * that is too large), and their gRPC statuses must not become 401, 405 or 429.
 */
export function registryFailure(error: unknown): ServiceError {
  const failure = toServiceError(error);
  if (failure.code === "unavailable") return failure;
  if (failure.code === "bad_request" && failure.field !== undefined) return failure;
  return new ServiceError("internal", "the registry call failed", { cause: error });
}
