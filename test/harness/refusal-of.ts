import { toServiceError } from "#shared/rpc/error-conversion.ts";

/** Returns the error code, invalid field and message of a refused call. @throws Error when the call succeeds */
export async function refusalOf(call: Promise<unknown>) {
  const error = await call.then(() => undefined, toServiceError);
  if (error === undefined) throw new Error("the call was not refused");
  return { code: error.code, field: error.field, message: error.message };
}
