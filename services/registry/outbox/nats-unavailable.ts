import type { NatsError } from "nats";
import { ServiceError } from "#shared/errors/service-error.ts";

/** Returns the error for a call that failed because of NATS. */
export function natsUnavailable(cause?: NatsError): ServiceError {
  return new ServiceError(
    "unavailable",
    "NATS is unavailable or refuses the call. Try again shortly; if the error persists, check the registry's log.",
    { cause },
  );
}
