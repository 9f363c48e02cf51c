import type { Transport } from "@connectrpc/connect";
import type { ErrorCode } from "#shared/errors/error-codes.ts";
import { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";

/**
 * Converts the error of a failed registry call to the error for the client: the registry's own if `isPassedOn`,
 * otherwise `internal`, because the client can do nothing about a fault between the services.
 */
export function clientError(error: unknown, isPassedOn: (failure: ServiceError) => boolean): ServiceError {
  const failure = toServiceError(error);
  return isPassedOn(failure) ? failure : new ServiceError("internal", "the registry call failed", { cause: error });
}

/**
 * Wraps a transport so that failed unary calls throw ServiceErrors; see {@link clientError}. The registry's own errors
 * with one of the codes are passed on.
 */
export function passingOn(codes: readonly ErrorCode[], transport: Transport): Transport {
  return {
    ...transport,
    unary: async (...call) => {
      try {
        return await transport.unary(...call);
      } catch (error) {
        throw clientError(error, ({ code }) => codes.includes(code));
      }
    },
  };
}
