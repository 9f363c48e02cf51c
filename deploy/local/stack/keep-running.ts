import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../servers/setup-error.ts";

/** A process that is watched. */
export interface Watched {
  readonly pid: number | null;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  stop(): Promise<void>;
}

/** A process that is started again whenever it ends by itself. */
export interface KeptRunning {
  /** The present process. */
  readonly current: () => Watched;
  stop(): Promise<void>;
}

const pauseMs = 1_000;

/**
 * Starts a process, and starts it again a second after it ends by itself, for as long as it takes.
 *
 * @param log told of each end and each failed start
 * @throws what the first start throws
 */
export async function keepRunning(
  name: string,
  start: () => Promise<Watched>,
  log: (line: string) => void,
): Promise<KeptRunning> {
  let current = await start();
  const stopping = new AbortController();

  const watch = async () => {
    while (!stopping.signal.aborted) {
      const { code, signal } = await current.exited;
      if (stopping.signal.aborted) return;
      log(`${name} ended (${signal ?? `code ${code}`}); it is started again.`);
      await restart();
    }
  };
  const restart = async () => {
    while (!stopping.signal.aborted) {
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      try {
        current = await start();
        return;
      } catch (error) {
        log(`${name} does not start: ${messageOf(error)}`);
      }
    }
  };
  const watching = watch();

  return {
    current: () => current,
    stop: async () => {
      stopping.abort();
      await current.stop();
      await watching;
      // A start that was under way when the stop came.
      await current.stop();
    },
  };
}
