import { connectNats } from "#shared/nats/connect-nats.ts";
import { streamName } from "#shared/nats/event-stream.ts";
import { systemClock } from "#shared/time/clock.ts";
import type { Collections } from "../../../services/registry/mongo/collections.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";

/** Options of {@link settle}. */
export interface SettleSetup {
  readonly collections: Pick<Collections, "history" | "outbox" | "deliveries">;
  readonly natsUrl: string;
  /** Gives up after this time without progress. */
  readonly quietMs: number;
  readonly signal: AbortSignal;
  readonly log: Log;
}

interface Progress {
  readonly events: number;
  readonly outcomes: number;
  /** Events in the outbox. */
  readonly waiting: number;
  /** Messages that a notifier has received or can still receive. */
  readonly messages: number;
}

const pollEveryMs = 500;
const logEveryMs = 5_000;

/**
 * Waits until every event has an outcome and no message is left for a notifier. The condition must be true twice in
 * succession, because a call that its writer abandoned can still commit a change.
 */
export async function settle(setup: SettleSetup): Promise<void> {
  const { natsUrl, quietMs, signal, log } = setup;
  const connection = await connectNats([natsUrl], "check:webhooks");
  try {
    const manager = await connection.jetstreamManager();
    // Not the message count of the stream: a server that was killed can keep messages that were acknowledged.
    const messagesLeft = async () => {
      const consumers = await manager.consumers.list(streamName).next();
      return consumers.reduce(
        (sum, { num_pending, num_ack_pending }) => sum + num_pending + num_ack_pending,
        0,
      );
    };
    let last = "";
    let changedAt = systemClock.now();
    let loggedAt = changedAt;
    for (;;) {
      signal.throwIfAborted();
      const progress = await readProgress(setup.collections, messagesLeft);
      const now = systemClock.now();
      const text = textOf(progress);
      // The number of messages changes with redeliveries, which are no progress.
      const reached = [progress.events, progress.outcomes, progress.waiting].join();
      if (isSettled(progress) && reached === last) return;
      if (reached !== last) changedAt = now;
      last = reached;
      if (now - changedAt >= quietMs) {
        log(`gave up waiting without progress: ${text}`);
        return;
      }
      if (now - loggedAt >= logEveryMs) {
        log(`settling: ${text}`);
        loggedAt = now;
      }
      await systemClock.sleep(pollEveryMs, signal);
    }
  } finally {
    await connection.close();
  }
}

async function readProgress(
  { history, outbox, deliveries }: SettleSetup["collections"],
  messagesLeft: () => Promise<number>,
): Promise<Progress> {
  const [events, outcomes, waiting, messages] = await Promise.all([
    history.countDocuments(),
    deliveries.countDocuments({ outcome: { $ne: null } }),
    outbox.countDocuments(),
    messagesLeft(),
  ]);
  return { events, outcomes, waiting, messages };
}

function isSettled({ events, outcomes, waiting, messages }: Progress): boolean {
  return outcomes >= events && waiting === 0 && messages === 0;
}

function textOf({ events, outcomes, waiting, messages }: Progress): string {
  return `${outcomes} of ${events} events have an outcome, ${waiting} in the outbox, ${messages} messages`;
}
