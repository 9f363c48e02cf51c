import { ServiceError } from "#shared/errors/service-error.ts";
import { RetryTransaction } from "./run-transaction.ts";
import { isTransient } from "./transient-error.ts";

/** Runs a database operation. @throws the operation's error, converted by {@link databaseError} */
export async function databaseCall<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw databaseError(error);
  }
}

/**
 * Converts a transient database error, or a RetryTransaction, to the ServiceError `unavailable`; returns other errors
 * unchanged.
 */
export function databaseError(error: unknown): unknown {
  if (!isTransient(error) && !(error instanceof RetryTransaction)) return error;
  return new ServiceError("unavailable", "The registry's database is unavailable. Try again shortly.", {
    cause: error,
  });
}
