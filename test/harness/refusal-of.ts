import { toServiceError } from "#shared/rpc/error-conversion.ts";

/** The error of a refused call. */
export interface CallRefusal {
  /** A code of services/shared/errors/error-codes.ts. */
  readonly code: string;
  /** Name of the invalid field, if any. */
  readonly field: string | undefined;
  readonly message: string;
}

/** Returns the error of a call. @throws Error when the call succeeds */
export async function refusalOf(call: Promise<unknown>): Promise<CallRefusal> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => toServiceError(reason),
  );
  if (error === undefined) throw new Error("the call was not refused");
  return { code: error.code, field: error.field, message: error.message };
}
