import type { SetupContext } from "./setup-context.ts";

/** The exit code of a server's process, or the signal that ended it. */
export interface ServerExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Returns how a process exited: `with code 1` or `on SIGKILL`. */
export function exitText({ code, signal }: ServerExit): string {
  return signal === null ? `with code ${code}` : `on ${signal}`;
}

/** A server that is ready: started by this process, or external (kind `MONGODB_URI`, `NATS_URL`). */
export interface RunningServer {
  /** A database kind from database-plan.ts or `nats-server`; `MONGODB_URI` or `NATS_URL` for an external server. */
  readonly kind: string;
  readonly url: string;
  /** Null for an external server. */
  readonly pid: number | null;
  /** Sends SIGTERM, and SIGKILL after 60 s; resolves after the exit. Idempotent; does nothing to an external server. */
  stop(): Promise<void>;
  /** Sends SIGKILL. @throws SetupError for an external server, so that a fault test cannot pass without a fault */
  kill(): void;
  /** Resolves when the process has exited; never for an external server. */
  readonly exited: Promise<ServerExit>;
}

/** Options for starting a {@link RunningServer}. */
export interface ServerOptions extends Pick<SetupContext, "log"> {
  /** Folder of the server's data, created when missing. Existing data is kept. */
  readonly dataDir: string;
  /** Port on 127.0.0.1; 0 selects a free port. */
  readonly port: number;
  /** File to which the server's output is appended; its folder is created when missing. */
  readonly logFile: string;
  readonly signal?: SetupContext["signal"];
  /** Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}
