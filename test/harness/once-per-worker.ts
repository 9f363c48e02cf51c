import { test } from "vitest";

const stops: (() => Promise<unknown>)[] = [];

// Vitest has no hook for the end of a worker, but it cleans up the fixtures of the worker then.
const worker = test
  .extend("stops", { scope: "worker" }, () => stops)
  .extend("closing", { scope: "worker" }, ({ stops: all }, { onCleanup }) => {
    onCleanup(async () => {
      for (const stop of all.toReversed()) await stop();
    });
  });

/**
 * Returns a function for test files that opens what the files of one worker share: the first call opens it, and it is
 * closed after the worker's last file.
 *
 * @param open opens it, and passes the functions that close it to `onEnd`
 */
export function oncePerWorker<T>(
  open: (onEnd: (stop: () => Promise<unknown>) => void) => Promise<T>,
): () => Promise<T> {
  let shared: Promise<T> | undefined;
  return () => {
    // In each file, because vitest runs no hook of a file whose tests are all skipped.
    worker.beforeAll(({ closing }) => closing);
    shared ??= open((stop) => void stops.push(stop)).catch((error: unknown) => {
      // The next file tries again.
      shared = undefined;
      throw error;
    });
    return shared;
  };
}
