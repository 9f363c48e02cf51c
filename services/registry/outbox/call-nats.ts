import { type NatsConnection, NatsError } from "nats";
import { ServiceError } from "#shared/errors/service-error.ts";

/**
 * Makes a call over a connection to NATS.
 *
 * @param connection undefined while there is none
 * @throws ServiceError `unavailable` if NATS is unavailable or refuses the call; any other error of `call` unchanged
 */
export async function callNats<T>(
  connection: NatsConnection | undefined,
  call: (connection: NatsConnection) => Promise<T>,
): Promise<T> {
  if (connection === undefined) throw natsUnavailable();
  try {
    return await call(connection);
  } catch (cause) {
    throw cause instanceof NatsError ? natsUnavailable(cause) : cause;
  }
}

function natsUnavailable(cause?: NatsError): ServiceError {
  return new ServiceError(
    "unavailable",
    "NATS is unavailable or refuses the call. Try again shortly; if the error persists, check the registry's log.",
    { cause },
  );
}
