import { ConnectError } from "@connectrpc/connect";
import { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { didNotReachServer } from "#shared/rpc/grpc-failure.ts";

/** Returns the sentence that certctl shows for an error. @param registry appended if the registry is unavailable */
export function errorMessage(error: unknown, registry: string): string {
  if (error instanceof Error && "code" in error && error.code === "ENOENT" && "path" in error)
    return `The file ${error.path} does not exist.`;
  // Errors thrown by certctl or Node already have a message for the user; those of gRPC calls must be converted.
  const isCallError = error instanceof ServiceError || (error instanceof Error && error.name === "ConnectError");
  if (error instanceof Error && !isCallError) return error.message;
  // Otherwise nothing would show that the certificates are at fault.
  if (error instanceof ConnectError && didNotReachServer(error))
    return `The registry cannot be reached: ${lastErrorIn(error.rawMessage)} (registry: ${registry})`;
  const { code, message } = toServiceError(error);
  return code === "unavailable" ? `${message} (registry: ${registry})` : message;
}

// grpc-js writes: "round_robin: No connection established. Last error: <error>. Resolution note: <note>".
function lastErrorIn(message: string): string {
  const [, last = message] =
    /^.*Last error: (?:Error: )?(.*?)(?: \([\d-]+T[\d:.]+Z\))?\. Resolution note:/.exec(message) ?? [];
  return last;
}
