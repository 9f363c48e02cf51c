import type { NatsConnection } from "nats";
import { Gauge, type Registry } from "prom-client";
import { consumerName, partitionCount, streamName } from "#shared/nats/event-stream.ts";

/** Numbers of messages in JetStream, summed over all partitions. */
export interface ConsumerBacklog {
  /** Not sent to a notifier yet. */
  readonly waiting: number;
  /** Sent to a notifier and not acknowledged yet, including messages that a notifier returned for redelivery. */
  readonly unacknowledged: number;
}

// Limits how long a slow server delays the other metrics of the scrape.
const timeoutMs = 1_000;

/** Reads the backlog. @throws NatsError if a consumer is missing, or JetStream does not answer within a second */
export async function readBacklog(connection: NatsConnection): Promise<ConsumerBacklog> {
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: timeoutMs });
  const partitions = Array.from({ length: partitionCount }, (_, partition) => consumerName(partition));
  const infos = await Promise.all(partitions.map((name) => manager.consumers.info(streamName, name)));
  return {
    waiting: infos.reduce((total, { num_pending }) => total + num_pending, 0),
    unacknowledged: infos.reduce((total, { num_ack_pending }) => total + num_ack_pending, 0),
  };
}

/** Registers `notifier_backlog_messages`. Each scrape reads the backlog; if that fails, the metric has no values. */
export function observeBacklog(read: () => Promise<ConsumerBacklog | undefined>, metrics: Registry): void {
  new Gauge({
    name: "notifier_backlog_messages",
    help: "Messages in JetStream by state: waiting or unacknowledged. Every notifier reports the total across all notifiers.",
    labelNames: ["state"],
    registers: [metrics],
    async collect() {
      this.reset();
      // The failure is not logged, because the consumer logs the state of the connection.
      const backlog = await read().catch(() => undefined);
      if (backlog === undefined) return;
      this.set({ state: "waiting" }, backlog.waiting);
      this.set({ state: "unacknowledged" }, backlog.unacknowledged);
    },
  });
}
