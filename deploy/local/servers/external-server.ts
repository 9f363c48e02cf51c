import type { RunningServer } from "./running-server.ts";
import { SetupError } from "./setup-error.ts";

/** A server that somebody else runs, named by the environment variable `kind`. */
export function externalServer(kind: string, url: string): RunningServer {
  return {
    kind,
    url,
    pid: null,
    stop: async () => undefined,
    kill: () => {
      throw new SetupError(
        `The server of ${kind} was not started here and is not killed: unset ${kind} for fault tests.`,
      );
    },
    exited: new Promise(() => undefined),
  };
}

/** A connection string without user and password. */
export function withoutCredentials(url: string): string {
  return url.replace(/\/\/.*@/, "//***@");
}
