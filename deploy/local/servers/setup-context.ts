/** What finding, fetching and starting a server need to know of their surroundings. */
export interface SetupContext {
  /** Environment to read settings and PATH from. */
  readonly env: NodeJS.ProcessEnv;
  /** Takes one line without line end, meant for the person who waits. */
  readonly log: (line: string) => void;
  /** Ends fetching and starting; a running server is not affected. */
  readonly signal: AbortSignal | undefined;
}

/** A setting from the environment; an empty value counts as not set. */
export function setting(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name] || undefined;
}
