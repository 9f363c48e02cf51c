import { existsSync } from "node:fs";
import path from "node:path";
import { ConnectError } from "@connectrpc/connect";
import { ServiceError } from "#shared/errors/service-error.ts";
import { ExportError } from "#shared/orders/export-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { didNotReachServer } from "#shared/rpc/grpc-failure.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Returns the error that certctl shows for a failure, with a message written for the user. The error of a failed call
 * becomes a ServiceError.
 *
 * @param registry appended to the message if the registry is unavailable; the empty string for an offline command
 * @param optionOf returns the option that sets a field of a request, which the message names instead of the field
 */
export function describeError(
  error: unknown,
  registry: string,
  optionOf: (field: string) => string | undefined = () => undefined,
): Error {
  if (error instanceof ExportError) return new UsageError(error.message, { cause: error });
  const fileProblem = fileProblemOf(error);
  if (fileProblem !== undefined) return new UsageError(fileProblem, { cause: error });
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
    : namingOption(described, optionOf);
}

/** Returns why a file that the user named cannot be opened; undefined for other errors. */
function fileProblemOf(error: unknown): string | undefined {
  if (!(error instanceof Error && "code" in error)) return undefined;
  if (error.code === "EISDIR") return "The path of a folder was given instead of the path of a file.";
  if (!("path" in error)) return undefined;
  const folder = path.dirname(String(error.path));
  if (error.code === "ENOENT")
    return `The ${existsSync(folder) ? `file ${error.path}` : `folder ${folder}`} does not exist.`;
  if (error.code === "ENOTDIR") return `${folder} is not a folder.`;
  if (error.code === "EACCES") return `You are not permitted to open ${error.path}.`;
  return undefined;
}

/** Replaces the field at the start of an error's message by the option that sets it. */
function namingOption(error: ServiceError, optionOf: (field: string) => string | undefined): ServiceError {
  const { code, message, field, why } = error;
  const option = field === undefined ? undefined : optionOf(field);
  if (code !== "bad_request" || field === undefined || option === undefined || !message.startsWith(`${field} `))
    return error;
  const named = option + message.slice(field.length);
  return why === undefined
    ? new ServiceError(code, named, { field, cause: error })
    : new ServiceError(code, why, { field, message: named, cause: error });
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
