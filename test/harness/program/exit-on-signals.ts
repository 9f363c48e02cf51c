/**
 * Returns an AbortSignal that aborts on the first SIGINT or SIGTERM, so that the program can end its processes and
 * delete its files. On a second SIGINT or SIGTERM, the process exits immediately.
 */
export function exitOnSignals(): AbortSignal {
  const stopping = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (stopping.signal.aborted) process.exit(130);
      stopping.abort(new Error(`stopped by ${name}`));
    });
  }
  return stopping.signal;
}
