import { hash } from "node:crypto";
import {
  AckPolicy,
  type ConsumerConfig,
  DiscardPolicy,
  type JetStreamManager,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
} from "nats";
import type { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { eventName } from "../events/event-name.ts";

/** The stream that carries every certificate event from the outbox to the notifier. */
export const streamName = "CERTIFICATES";

/** Must never change: a store's events are in order only because they always have the same partition. */
export const partitionCount = 16;

// JetStream drops an event that is republished within this window although its message has just been acknowledged.
// While the first copy is stored, its subject prevents a second copy without a time limit; see eventSubject.
const duplicateWindowMs = 10 * 60_000;
const ackWaitMs = 30_000;
// Never reached: the registry limits the number of events per store in the stream.
const ackPendingMax = 100_000;

/** The partition of a store: 0 to {@link partitionCount} - 1. */
export function partitionOf(storeId: string): number {
  return hash("sha256", storeId, "buffer").readUInt32BE(0) % partitionCount;
}

/**
 * The subject of an event: `certificates.<partition>.<store>.<event>.<event id>`. The event's id makes the subject
 * unique, so that the stream can refuse a second copy of the event. Subjects of earlier versions end before the id.
 */
export function eventSubject(storeId: string, type: EventType, eventId: string): string {
  return `certificates.${partitionOf(storeId)}.${storeId}.${eventName(type)}.${eventId}`;
}

/** The name of a partition's consumer. */
export function consumerName(partition: number): string {
  return `notifier-${partition}`;
}

/**
 * Creates or updates the stream. An event remains until the notifier has acknowledged it (work-queue retention). A full
 * stream rejects new events, which then wait in the outbox, instead of dropping old ones.
 *
 * @param options.replicas copies of each message: 1, 3 or 5
 */
export async function ensureStream(manager: JetStreamManager, options: { readonly replicas: number }): Promise<void> {
  const config = {
    name: streamName,
    subjects: ["certificates.>"],
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    storage: StorageType.File,
    num_replicas: options.replicas,
    duplicate_window: nanos(duplicateWindowMs),
  };
  if (await exists(() => manager.streams.info(streamName))) await manager.streams.update(streamName, config);
  else await manager.streams.add(config);
}

/** Creates or updates the durable pull consumers, one per partition. */
export async function ensureConsumers(manager: JetStreamManager): Promise<void> {
  for (let partition = 0; partition < partitionCount; partition++) {
    const name = consumerName(partition);
    const config = {
      durable_name: name,
      filter_subject: `certificates.${partition}.>`,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: ackPendingMax,
    } satisfies Partial<ConsumerConfig>;
    if (await exists(() => manager.consumers.info(streamName, name)))
      await manager.consumers.update(streamName, name, config);
    else await manager.consumers.add(streamName, config);
  }
}

async function exists(getInfo: () => Promise<unknown>): Promise<boolean> {
  try {
    await getInfo();
    return true;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return false;
    throw error;
  }
}
