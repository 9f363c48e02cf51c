import { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";

/** Returns the sentence that certctl shows for an error. @param registryAddress named if the registry is unavailable */
export function errorMessage(error: unknown, registryAddress: string): string {
  if (error instanceof Error && "code" in error && error.code === "ENOENT" && "path" in error)
    return `The file ${error.path} does not exist.`;
  // Errors that certctl or Node throws explain themselves; errors of a call are converted.
  const isCallError = error instanceof ServiceError || (error instanceof Error && error.name === "ConnectError");
  if (error instanceof Error && !isCallError) return error.message;
  const { code, message } = toServiceError(error);
  return code === "unavailable" ? `${message} (registry: ${registryAddress})` : message;
}
