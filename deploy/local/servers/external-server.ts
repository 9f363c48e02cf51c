import type { RunningServer } from "./running-server.ts";
import { messageOf, SetupError } from "./setup-error.ts";

/** Wraps a server that this process did not start. @param kind the environment variable that contains its URL */
export function externalServer(kind: string, url: string): RunningServer {
  return {
    kind,
    url,
    pid: null,
    stop: async () => undefined,
    kill: () => {
      throw new SetupError(
        `The server at ${kind} was not started by this process and cannot be killed: unset ${kind} to run fault tests.`,
      );
    },
    exited: new Promise(() => undefined),
  };
}

/** Replaces the user and the password in a connection string with `***`. */
export function withoutCredentials(url: string): string {
  return url.replace(/\/\/.*@/, "//***@");
}

/** Builds the SetupError for an unusable server. @param variable the environment variable that contains its URL */
export function unusableServer(variable: string, url: string, error: unknown): SetupError {
  const remedy = `start the server, correct the variable, or unset ${variable} to use a local server`;
  return new SetupError(`${variable} (${withoutCredentials(url)}) cannot be used (${messageOf(error)}): ${remedy}.`);
}
