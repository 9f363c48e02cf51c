import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  AckPolicy,
  type ConsumerConfig,
  DiscardPolicy,
  type JetStreamManager,
  type NatsConnection,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
} from "nats";
import type { EventType } from "#gen/events/v1/certificate_event_pb.js";

/** The stream that carries certificate events from the outbox to the notifier. */
export const streamName = "CERTIFICATES";

/**
 * The number of partitions. Must not change while the stream stores events: the relay could publish them a second time
 * under other subjects, and no notifier would pull from a partition that no longer exists.
 */
export const partitionCount = 16;

/** The numbers of all partitions. */
export const allPartitions: readonly number[] = Array.from({ length: partitionCount }, (_, partition) => partition);

// JetStream drops a second copy of an event that is published within this time after the first, even if the first has
// been acknowledged and deleted. For as long as the first copy is stored, its subject prevents a second copy; see
// eventSubject.
const duplicateWindowMs = 10 * 60_000;
const ackWaitMs = 30_000;
// A stream whose storage was lost begins with sequence numbers that the stream before it did not use: otherwise, a late
// acknowledgement of a message that was lost would remove the message that has its number now.
const sequencesPerMs = 1_000;
// The error code of a stream that exists with another configuration.
const streamNameInUse = 10058;
// High enough not to limit deliveries: REGISTRY_STORE_WINDOW bounds the number of each store's events in the stream.
const ackPendingMax = 100_000;

/** Returns the partition of a store: 0 to {@link partitionCount} - 1. */
export function partitionOf(storeId: string): number {
  return hash("sha256", storeId, "buffer").readUInt32BE(0) % partitionCount;
}

/**
 * Returns the subject of an event: `certificates.<partition>.<store>.<type>.<event id>`. The event's id makes the
 * subject unique, so that the stream can refuse a second copy of the event. The type is a number, because each version
 * must give the event the same subject, also one that does not know the type: it may relay the event after a rollback.
 */
export function eventSubject(storeId: string, type: EventType, eventId: string): string {
  return `certificates.${partitionOf(storeId)}.${storeId}.${type}.${eventId}`;
}

export function consumerName(partition: number): string {
  return `notifier-${partition}`;
}

/**
 * Creates the stream, or updates it if its configuration differs. Only the registry calls this. An event remains until
 * the notifier has acknowledged it (work-queue retention). A full stream keeps the old events and rejects new ones,
 * which then wait in the outbox.
 *
 * @param options.replicas copies of each message: 1, 3 or 5
 */
export async function ensureStream(manager: JetStreamManager, options: { readonly replicas: number }): Promise<void> {
  const config = streamConfig(options.replicas);
  const existing = await found(() => manager.streams.info(streamName));
  if (existing === undefined) {
    const added = manager.streams.add({ ...config, first_seq: Date.now() * sequencesPerMs });
    await added.catch(async (error: unknown) => {
      // Another replica has added it meanwhile, with another first sequence number.
      if (!(error instanceof NatsError && error.api_error?.err_code === streamNameInUse)) throw error;
      await ensureStream(manager, options);
    });
  } else if (differs(existing.config, config)) await manager.streams.update(streamName, config);
}

/** Whether the stream is configured correctly, and what it contains. */
export interface StreamState {
  /** Whether the stream has the configuration that {@link ensureStream} creates. */
  readonly isConfigured: boolean;
  readonly consumers: number;
  readonly messages: number;
  readonly bytes: number;
}

/** Returns the state of the stream, or undefined if the stream does not exist. */
export async function readStreamState(
  manager: JetStreamManager,
  options: { readonly replicas: number },
): Promise<StreamState | undefined> {
  const existing = await found(() => manager.streams.info(streamName));
  if (existing === undefined) return undefined;
  const { consumer_count: consumers, messages, bytes } = existing.state;
  return { isConfigured: !differs(existing.config, streamConfig(options.replicas)), consumers, messages, bytes };
}

function streamConfig(replicas: number) {
  return {
    name: streamName,
    subjects: ["certificates.>"],
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    storage: StorageType.File,
    num_replicas: replicas,
    duplicate_window: nanos(duplicateWindowMs),
  };
}

/** Creates the durable pull consumers, one per partition, and updates those whose configuration differs. */
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
    const existing = await found(() => manager.consumers.info(streamName, name));
    if (existing === undefined) await manager.consumers.add(streamName, config);
    else if (differs(existing.config, config)) await manager.consumers.update(streamName, name, config);
  }
}

/**
 * Returns whether the server reports that a partition's consumer, or the stream, does not exist. Returns false if the
 * consumer exists or the request fails, for example while the cluster elects a leader.
 */
export async function isConsumerMissing(connection: NatsConnection, partition: number): Promise<boolean> {
  try {
    const manager = await connection.jetstreamManager({ checkAPI: false });
    return (await found(() => manager.consumers.info(streamName, consumerName(partition)))) === undefined;
  } catch {
    return false;
  }
}

/** Returns the state of a stream or a consumer; undefined if it does not exist. */
export async function found<T>(getInfo: () => Promise<T>): Promise<T | undefined> {
  try {
    return await getInfo();
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return undefined;
    throw error;
  }
}

/** Returns whether an existing configuration differs from `wanted`. Ignores fields that `wanted` omits. */
export function differs<Config extends object>(existing: Config, wanted: Partial<Config>): boolean {
  return !isDeepStrictEqual({ ...existing, ...wanted }, { ...existing });
}
