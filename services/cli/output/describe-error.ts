import { ConnectError } from "@connectrpc/connect";
import { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { didNotReachServer } from "#shared/rpc/grpc-failure.ts";

/**
 * Returns the error that certctl shows for a failure. Its message is the sentence for the user; it is a ServiceError if
 * the call failed.
 *
 * @param registry appended to the message if the registry is unavailable; the empty string: nothing is appended
 */
export function describeError(error: unknown, registry: string): Error {
  if (error instanceof Error && "code" in error && error.code === "ENOENT" && "path" in error)
    return new Error(`The file ${error.path} does not exist.`, { cause: error });
  // Errors thrown by certctl or Node already have a message for the user; those of gRPC calls must be converted.
  const isCallError = error instanceof ServiceError || (error instanceof Error && error.name === "ConnectError");
  if (error instanceof Error && !isCallError) return error;
  // States the cause, such as a certificate that is not accepted; the public message of `unavailable` does not.
  if (error instanceof ConnectError && didNotReachServer(error)) {
    const message = `The registry cannot be reached: ${lastErrorIn(error.rawMessage)} (registry: ${registry})`;
    return new ServiceError("unavailable", message, { cause: error });
  }
  const described = toServiceError(error);
  const { code, message } = described;
  return code === "unavailable" && registry !== ""
    ? new ServiceError(code, `${message} (registry: ${registry})`, { cause: error })
    : described;
}

// grpc-js writes: "round_robin: No connection established. Last error: <error>. Resolution note: <note>".
function lastErrorIn(message: string): string {
  const [, last = message] =
    /^.*Last error: (?:Error: )?(.*?)(?: \([\d-]+T[\d:.]+Z\))?\. Resolution note:/.exec(message) ?? [];
  return last;
}
