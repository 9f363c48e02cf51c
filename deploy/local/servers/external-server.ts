import type { RunningServer } from "./running-server.ts";
import { messageOf, SetupError } from "./setup-error.ts";

/** Returns a server that was not started by this process. @param kind the environment variable that names it */
export function externalServer(kind: string, url: string): RunningServer {
  return {
    kind,
    url,
    pid: null,
    stop: async () => undefined,
    kill: () => {
      throw new SetupError(
        `The server of ${kind} was not started by this process and cannot be killed: unset ${kind} for fault tests.`,
      );
    },
    exited: new Promise(() => undefined),
  };
}

/** Returns a connection string without user and password. */
export function withoutCredentials(url: string): string {
  return url.replace(/\/\/.*@/, "//***@");
}

/** Creates the error for the server that an environment variable names. */
export function unusableServer(variable: string, url: string, error: unknown): SetupError {
  const remedy = `start or correct it, or unset ${variable} to use a server of this machine`;
  return new SetupError(`${variable} (${withoutCredentials(url)}) cannot be used (${messageOf(error)}): ${remedy}.`);
}
