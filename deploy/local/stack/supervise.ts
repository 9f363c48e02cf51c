import { setTimeout as delay } from "node:timers/promises";
import type { RunningServer } from "../servers/running-server.ts";
import { messageOf } from "../servers/setup-error.ts";

/** The part of a running process that {@link supervise} needs. */
export type SupervisedProcess = Pick<RunningServer, "exited" | "stop">;

const restartPauseMs = 1_000;

/**
 * Starts a process, and restarts it one second after each exit until `stop` is called.
 *
 * @param log receives a line for each exit and each failed restart
 * @returns the first process, and `stop`, which stops the current process and ends the restarts
 * @throws the error of the first start
 */
export async function supervise<Process extends SupervisedProcess>(
  name: string,
  start: (isRestart: boolean) => Promise<Process>,
  log: (line: string) => void,
): Promise<{ readonly first: Process; readonly stop: () => Promise<void> }> {
  const first = await start(false);
  let current = first;
  const stopping = new AbortController();

  const restart = async () => {
    while (!stopping.signal.aborted) {
      await delay(restartPauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      try {
        current = await start(true);
        return;
      } catch (error) {
        log(`${name} could not be restarted; trying again: ${messageOf(error)}`);
      }
    }
  };
  const watch = async () => {
    while (!stopping.signal.aborted) {
      const { code, signal } = await current.exited;
      if (stopping.signal.aborted) return;
      log(`${name} exited (${signal ?? `code ${code}`}); restarting it.`);
      await restart();
    }
  };
  const watching = watch();

  const stop = async () => {
    stopping.abort();
    await current.stop();
    await watching;
    // A restart that was in progress may have started another process after the first `current.stop()`.
    await current.stop();
  };
  return { first, stop };
}
