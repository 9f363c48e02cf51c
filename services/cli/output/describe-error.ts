import { existsSync } from "node:fs";
import path from "node:path";
import { ConnectError } from "@connectrpc/connect";
import { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { didNotReachServer } from "#shared/rpc/grpc-failure.ts";

/**
 * Returns the error that certctl shows for a failure, with a message written for the user. The error of a failed call
 * becomes a ServiceError.
 *
 * @param registry appended to the message if the registry is unavailable; the empty string for an offline command
 */
export function describeError(error: unknown, registry: string): Error {
  if (error instanceof Error && "code" in error && error.code === "ENOENT" && "path" in error) {
    const folder = path.dirname(String(error.path));
    const missing = existsSync(folder) ? `file ${error.path}` : `folder ${folder}`;
    return new Error(`The ${missing} does not exist.`, { cause: error });
  }
  // Errors thrown by certctl or Node already have a message for the user; those of gRPC calls must be converted.
  const isCallError = error instanceof ServiceError || (error instanceof Error && error.name === "ConnectError");
  if (error instanceof Error && !isCallError) return error;
  // This message states the cause, such as a rejected certificate, which the public message of `unavailable` omits.
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

/**
 * Returns the cause that grpc-js states in the message of a call that reached no server.
 *
 * The messages of grpc-js are nested: "round_robin: No connection established. Last error: No connection established.
 * Last error: Error: <cause> (<time>). Resolution note: <note>". The cause is "null" if another channel of the process
 * tried the same address shortly before.
 */
export function lastErrorIn(message: string): string {
  const [, stated = message] = /^.*Last error: (.*?)(?:\. Resolution note:.*)?$/s.exec(message) ?? [];
  const cause = stated.replace(/^Error: /, "").replace(/ \(\d{4}-[\dT:.-]+Z\)$/, "");
  return cause === "null" || cause === "" ? "no connection could be opened" : cause;
}
