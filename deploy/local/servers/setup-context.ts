/** Context for finding, installing and starting a server: environment, log and cancellation. */
export interface SetupContext {
  /** Environment from which settings and PATH are read. */
  readonly env: NodeJS.ProcessEnv;
  /** Receives progress messages, without a line break at the end. */
  readonly log: (line: string) => void;
  /** Aborts installation and start; does not affect a running server. */
  readonly signal: AbortSignal | undefined;
}

/** Returns the value of an environment variable; undefined when the variable is unset or empty. */
export function setting(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name] || undefined;
}
