import type { Transport } from "@connectrpc/connect";
import type { ErrorCode } from "#shared/errors/error-codes.ts";
import { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";

/**
 * Wraps a transport so that failed calls throw ServiceErrors: the registry's own if it has one of the codes, otherwise
 * `internal`, because the client can do nothing about a fault between the services. Supports unary calls only.
 */
export function passingOn(codes: readonly ErrorCode[], transport: Transport): Transport {
  return {
    unary: async (...call) => {
      try {
        return await transport.unary(...call);
      } catch (error) {
        const failure = toServiceError(error);
        if (codes.includes(failure.code)) throw failure;
        throw new ServiceError("internal", "the registry call failed", { cause: error });
      }
    },
    stream: () => {
      throw new Error("this client does not support streaming calls");
    },
  };
}
