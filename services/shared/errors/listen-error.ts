import { systemErrorCode } from "./system-error-code.ts";

/**
 * Creates the error for an address on which a server cannot listen. Its message names the address and the system's
 * code for the reason, such as EADDRNOTAVAIL (not an address of this machine), EACCES or ENOTFOUND.
 */
export function listenError(address: string, cause: Error): Error {
  // grpc-js states the code only in its message.
  const code = systemErrorCode(cause) ?? /\bE[A-Z]{3,}\b/.exec(cause.message)?.[0];
  const reason = code === "EADDRINUSE" ? ": the port is in use" : ` (${code ?? cause.message})`;
  return new Error(`cannot listen on ${address}${reason}`, { cause });
}
