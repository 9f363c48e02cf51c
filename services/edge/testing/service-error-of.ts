import { ServiceError } from "#shared/errors/service-error.ts";

/** Returns the ServiceError that `call` throws; throws an Error if `call` succeeds, and rethrows any other error. */
export function serviceErrorOf(call: () => unknown): ServiceError {
  try {
    call();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error("the call succeeded");
}
