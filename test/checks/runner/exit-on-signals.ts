/** Aborts with Ctrl-C or SIGTERM, so that everything is stopped and cleaned up; a second signal ends the process at once. */
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
