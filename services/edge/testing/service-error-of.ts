import { ServiceError } from "#shared/errors/service-error.ts";

/** Returns the ServiceError that a call throws. @throws Error when it succeeds or fails otherwise */
export function serviceErrorOf(call: () => unknown): ServiceError {
  try {
    call();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error("the call succeeded");
}
