import { toServiceError } from "#shared/rpc/error-conversion.ts";

/** How a call was refused. */
export interface CallRefusal {
  /** One of services/shared/errors/error-codes.ts. */
  readonly code: string;
  /** The field at fault, or undefined. */
  readonly field: string | undefined;
  readonly message: string;
}

/** The refusal of a call. @throws Error when it was not refused */
export async function refusalOf(call: Promise<unknown>): Promise<CallRefusal> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => toServiceError(reason),
  );
  if (error === undefined) throw new Error("the call was not refused");
  return { code: error.code, field: error.field, message: error.message };
}
