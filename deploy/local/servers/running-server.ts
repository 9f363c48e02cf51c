/** How a server's process ended: its exit code, or the signal that ended it. */
export interface ServerExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A server that answers, started here or (kind `MONGODB_URI`, `NATS_URL`) only reached from here. */
export interface RunningServer {
  /** `mongod`, `memory-server`, `secantusd-rs`, `secantusd-py`, `MONGODB_URI`; `nats-server`, `NATS_URL`. */
  readonly kind: string;
  /** Connection string for the driver or client. */
  readonly url: string;
  /** Null when the server was not started here. */
  readonly pid: number | null;
  /** SIGTERM, after 10 s SIGKILL; resolves when the process is gone. May be called again; nothing for a server not started here. */
  stop(): Promise<void>;
  /** SIGKILL, for fault tests. Throws SetupError for a server not started here, so that no such test passes without a fault. */
  kill(): void;
  /** Resolves when the process has ended, for whatever reason; never for a server not started here. */
  readonly exited: Promise<ServerExit>;
}

/** What a caller decides about a server to start. */
export interface ServerOptions {
  /** Folder for the server's data, created when missing; what was stored there before is there again. */
  readonly dataDir: string;
  /** Port on 127.0.0.1; 0 takes a free one. */
  readonly port: number;
  /** Takes one line without line end, meant for the person who waits. */
  readonly log: (line: string) => void;
  /** The server's own output is appended here; the folder is created when missing. */
  readonly logFile: string;
  /** Ends fetching and starting; a running server is not affected. */
  readonly signal?: AbortSignal | undefined;
  /** Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}
