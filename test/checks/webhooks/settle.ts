import { connectNats } from "#shared/nats/connect-nats.ts";
import { streamName } from "#shared/nats/event-stream.ts";
import { systemClock } from "#shared/time/clock.ts";
import type { Collections } from "../../../services/registry/mongo/collections.ts";
import type { Say } from "../runner/conduct.ts";

/** What {@link settle} works with. */
export interface SettleSetup {
  readonly collections: Pick<Collections, "history" | "outbox" | "deliveries">;
  readonly natsUrl: string;
  /** Gives up when nothing has changed for so long. */
  readonly quietMs: number;
  readonly over: AbortSignal;
  readonly say: Say;
}

/** How far the events have come. */
interface Progress {
  readonly events: number;
  readonly outcomes: number;
  /** Events in the outbox. */
  readonly waiting: number;
  /** Messages that a notifier has in hand or could still take. */
  readonly messages: number;
}

const lookEveryMs = 500;
const tellEveryMs = 5_000;

/**
 * Waits until every event has its outcome and no message is left that a notifier could still take in hand. A call that its
 * writer gave up may still make its change, so that must be so twice in succession.
 */
export async function settle(setup: SettleSetup): Promise<void> {
  const { natsUrl, quietMs, over, say } = setup;
  const connection = await connectNats([natsUrl], "check:webhooks");
  try {
    const manager = await connection.jetstreamManager();
    // Not the stream's own count: a server that was killed may keep a message that its consumer has done with.
    const messagesLeft = async () => {
      const consumers = await manager.consumers.list(streamName).next();
      return consumers.reduce(
        (sum, { num_pending, num_ack_pending }) => sum + num_pending + num_ack_pending,
        0,
      );
    };
    let last = "";
    let changedAt = systemClock.now();
    let toldAt = changedAt;
    for (;;) {
      over.throwIfAborted();
      const progress = await look(setup.collections, messagesLeft);
      const now = systemClock.now();
      const text = textOf(progress);
      // Messages that come again and again are no progress.
      const reached = [progress.events, progress.outcomes, progress.waiting].join();
      if (isSettled(progress) && reached === last) return;
      if (reached !== last) changedAt = now;
      last = reached;
      if (now - changedAt >= quietMs) {
        say(`given up, since nothing changes any more: ${text}`);
        return;
      }
      if (now - toldAt >= tellEveryMs) {
        say(`settling: ${text}`);
        toldAt = now;
      }
      await systemClock.sleep(lookEveryMs, over);
    }
  } finally {
    await connection.close();
  }
}

async function look(
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
