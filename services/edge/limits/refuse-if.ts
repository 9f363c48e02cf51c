import { ServiceError } from "#shared/errors/service-error.ts";

/** Refuses a request that has to wait. @throws ServiceError `rate_limited` unless `retryAfterSeconds` is 0 */
export function refuseIf(retryAfterSeconds: number, message: string): void {
  if (retryAfterSeconds > 0) throw new ServiceError("rate_limited", message, { retryAfterSeconds });
}
