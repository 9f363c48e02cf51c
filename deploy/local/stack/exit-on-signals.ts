/**
 * Returns an AbortSignal that aborts, with an AbortError, on the first SIGINT (Ctrl-C) or SIGTERM, so that the program
 * can end its processes and delete its files. On a second SIGINT or SIGTERM, the process exits immediately.
 */
export function exitOnSignals(): AbortSignal {
  const stopping = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (stopping.signal.aborted) process.exit(130);
      stopping.abort(new DOMException(`stopped by ${name}`, "AbortError"));
    });
  }
  return stopping.signal;
}
