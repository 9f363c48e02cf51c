import { connectNats } from "#shared/nats/connect-nats.ts";
import { streamName } from "#shared/nats/event-stream.ts";
import { systemClock } from "#shared/time/clock.ts";
import type { Collections } from "../../../services/registry/mongo/documents/collections.ts";
import { sum } from "../../harness/statistics.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import type { StoreTrigger } from "./store-triggers.ts";

interface SettleSetup {
  readonly collections: Pick<Collections, "history" | "outbox" | "deliveries" | "triggerDeliveries">;
  /** Triggers; waits only for those whose receivers accept every event sooner or later. Default: none. */
  readonly triggers?: readonly Pick<StoreTrigger, "id" | "accepts">[];
  readonly natsUrl: string;
  /** Gives up after this time without progress. */
  readonly quietMs: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

const pollEveryMs = 500;
const logEveryMs = 5_000;

/**
 * Waits until every event has an outcome and nothing is pending in the outbox, in NATS or for `triggers`. The number of
 * events must also be unchanged since the previous poll, because a call that its writer abandoned can still commit.
 *
 * @returns true once no further outcome is expected, even after giving up; false if the signal ended the wait
 */
export async function settle({
  collections,
  triggers = [],
  natsUrl,
  quietMs,
  signal,
  log,
}: SettleSetup): Promise<boolean> {
  const { history, outbox, deliveries, triggerDeliveries } = collections;
  const trigger = { $in: triggers.flatMap(({ id, accepts }) => (accepts ? id : [])) };
  const connection = await connectNats({ servers: [natsUrl] }, "check-webhooks");
  try {
    const { consumers } = await connection.jetstreamManager();
    // Uses the consumers' counts, because a killed server can retain acknowledged messages in the stream.
    const countMessages = async () => {
      const list = await consumers.list(streamName).next();
      return sum(list.map(({ num_pending, num_ack_pending }) => num_pending + num_ack_pending));
    };
    let last = "";
    let changedAt = performance.now();
    let loggedAt = changedAt;
    while (!signal.aborted) {
      const [events, outcomes, waiting, messages, forTriggers] = await Promise.all([
        history.countDocuments(),
        deliveries.countDocuments({ outcome: { $ne: null } }),
        outbox.countDocuments(),
        countMessages(),
        triggerDeliveries.countDocuments({ state: "waiting", trigger }),
      ]);
      const now = performance.now();
      const text = `${outcomes} of ${events} events settled, ${waiting} in the outbox, ${messages} messages and ${forTriggers} events for triggers pending`;
      // Excludes the number of messages, which changes with redeliveries.
      const progress = [events, outcomes, waiting, forTriggers].join();
      if (outcomes >= events && waiting + messages + forTriggers === 0 && progress === last) return true;
      if (progress !== last) changedAt = now;
      last = progress;
      if (now - changedAt >= quietMs) {
        log(`gave up waiting without progress: ${text}`);
        return true;
      }
      if (now - loggedAt >= logEveryMs) {
        log(`settling: ${text}`);
        loggedAt = now;
      }
      await systemClock.sleep(pollEveryMs, signal);
    }
    return false;
  } finally {
    await connection.close();
  }
}
