import { Loop } from "../lifecycle/loop.ts";
import { backOffMs } from "../retry/back-off.ts";
import type { Clock } from "../time/clock.ts";

interface KeepConnectedOptions<Connection> {
  readonly connect: () => Promise<Connection>;
  /** Uses a connection; resolves or rejects when the connection can no longer be used, or the signal aborts. */
  readonly use: (connection: Connection, stopping: AbortSignal) => Promise<void>;
  /** Called before each pause. `error` is undefined for a connection that closed without an error. */
  readonly onFailure: (error: unknown) => void;
  /** Monotonic clock. */
  readonly clock: Clock;
}

const firstPauseMs = 250;
const maxPauseMs = 5_000;
/** A connection that lasts at least this time, in milliseconds, resets the exponential backoff. */
export const healthyAfterMs = 30_000;

/**
 * Connects and uses the connection until the returned loop is stopped; replaces a connection that has closed.
 * Reconnects with exponential backoff, even if the previous attempt to connect succeeded: a server that accepts a
 * client and then rejects it must not be flooded with connections.
 */
export function keepConnected<Connection>(options: KeepConnectedOptions<Connection>): Loop {
  const { connect, use, onFailure, clock } = options;
  let failures = 0;
  const step = async (stopping: AbortSignal) => {
    let error: unknown;
    let connectedAt = Number.POSITIVE_INFINITY;
    try {
      const connection = await connect();
      connectedAt = clock.now();
      await use(connection, stopping);
    } catch (cause) {
      error = cause;
    }
    if (stopping.aborted) return 0;
    if (clock.now() - connectedAt >= healthyAfterMs) failures = 0;
    onFailure(error);
    return backOffMs(failures++, firstPauseMs, maxPauseMs);
  };
  const loop = new Loop({ step, clock });
  loop.start();
  return loop;
}
