import { hash } from "node:crypto";
import {
  AckPolicy,
  type ConsumerConfig,
  DiscardPolicy,
  type JetStreamManager,
  NatsError,
  RetentionPolicy,
  StorageType,
} from "nats";
import type { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { eventName } from "../events/event-name.ts";

/** The stream that carries every certificate event from the outbox to the notifier. */
export const streamName = "CERTIFICATES";

/** A fixed number: a store's events stay in one partition for ever, which is what keeps them in order. */
export const partitionCount = 16;

// JetStream forgets a message id after this time. A relay that dies between publishing and deleting its outbox
// entry is replaced within seconds; what is published twice in spite of it, the claim before sending stops.
const duplicateWindowMs = 10 * 60_000;
const ackWaitMs = 30_000;
// Never reached: the registry lets only so many events of a store into the stream at a time.
const ackPendingMax = 100_000;
const nanoseconds = (durationMs: number) => durationMs * 1_000_000;

/** The partition of a store: 0 to {@link partitionCount} - 1. */
export function partitionOf(storeId: string): number {
  return hash("sha256", storeId, "buffer").readUInt32BE(0) % partitionCount;
}

/** `certificates.<partition>.<store>.<event>` */
export function eventSubject(storeId: string, type: EventType): string {
  return `certificates.${partitionOf(storeId)}.${storeId}.${eventName(type)}`;
}

/** The name of a partition's consumer. */
export function consumerName(partition: number): string {
  return `notifier-${partition}`;
}

/** How the stream's storage is kept. */
export interface StreamOptions {
  /** Copies of each message: 1, 3 or 5. */
  readonly replicas: number;
}

/**
 * Makes the stream or brings it up to date. An event stays until the notifier has settled it; a full stream refuses new
 * ones, which then wait in the outbox, rather than dropping old ones.
 */
export async function ensureStream(manager: JetStreamManager, options: StreamOptions): Promise<void> {
  const config = {
    name: streamName,
    subjects: ["certificates.>"],
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    storage: StorageType.File,
    num_replicas: options.replicas,
    duplicate_window: nanoseconds(duplicateWindowMs),
  };
  if (await exists(() => manager.streams.info(streamName))) await manager.streams.update(streamName, config);
  else await manager.streams.add(config);
}

/** Makes the durable pull consumers, one for each partition, or brings them up to date. */
export async function ensureConsumers(manager: JetStreamManager): Promise<void> {
  for (let partition = 0; partition < partitionCount; partition++) {
    const name = consumerName(partition);
    const config = {
      durable_name: name,
      filter_subject: `certificates.${partition}.>`,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanoseconds(ackWaitMs),
      max_ack_pending: ackPendingMax,
    } satisfies Partial<ConsumerConfig>;
    if (await exists(() => manager.consumers.info(streamName, name)))
      await manager.consumers.update(streamName, name, config);
    else await manager.consumers.add(streamName, config);
  }
}

async function exists(look: () => Promise<unknown>): Promise<boolean> {
  try {
    await look();
    return true;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return false;
    throw error;
  }
}
