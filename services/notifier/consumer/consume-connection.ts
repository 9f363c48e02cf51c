import { addAbortListener } from "node:events";
import type { NatsConnection } from "nats";
import { partitionCount } from "#shared/nats/event-stream.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Latch } from "../latch.ts";
import { ensureJetStream } from "./ensure-jet-stream.ts";
import { followConnection } from "./follow-connection.ts";
import type { MessageDispatcher } from "./message-dispatcher.ts";
import { MessageSlot } from "./message-slot.ts";
import { type OnMessage, PartitionPull } from "./partition-pull.ts";
import { pullPartition } from "./pull-partition.ts";
import type { Semaphore } from "./semaphore.ts";

/** The dependencies and limits of {@link consumeConnection}. */
export interface ConsumeOptions {
  readonly dispatcher: Pick<MessageDispatcher, "accept">;
  readonly slots: Semaphore;
  readonly concurrencyMax: number;
  /** Replicas of the stream. */
  readonly streamReplicas: number;
  /** Open while the registry is available. */
  readonly registryAvailable: Latch;
  /** Opened and closed by this function: open while the connection is up and the consumers exist. */
  readonly consumersReady: Latch;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly stopped: AbortSignal;
}

const drainTimeoutMs = 2_000;

/**
 * Pulls messages from every partition over one connection until stopped, or until the connection is closed
 * permanently. Accepted messages may still be in progress when it returns.
 */
export async function consumeConnection(connection: NatsConnection, options: ConsumeOptions): Promise<void> {
  const { dispatcher, slots, concurrencyMax, registryAvailable, consumersReady, clock, logger } = options;
  const closed = new AbortController();
  connection.closed().then(() => closed.abort());
  const stopped = AbortSignal.any([options.stopped, closed.signal]);

  const pulls: PartitionPull[] = [];
  const disconnected = () => {
    consumersReady.close();
    for (const pull of pulls) pull.abandon();
  };
  const reconnected = () => consumersReady.open();
  followConnection(connection, { disconnected, reconnected }, logger).catch((error: unknown) =>
    logger.error({ err: error }, "stopped following the state of the NATS connection"),
  );

  const createConsumers = async () => {
    consumersReady.close();
    await ensureJetStream({ connection, replicas: options.streamReplicas, clock, logger, stopped });
    if (!stopped.aborted) consumersReady.open();
  };
  // All sixteen loops notice missing consumers at the same time; the consumers are created once.
  let creating: Promise<void> | undefined;
  const ensureConsumers = () => {
    creating ??= createConsumers().finally(() => {
      creating = undefined;
    });
    return creating;
  };

  const onMessage: OnMessage = (message, isExpected) => {
    if (!isExpected) slots.forceAcquire();
    dispatcher.accept(message, new MessageSlot(slots));
  };
  const whenReady = async () => {
    await registryAvailable.whenOpen(stopped);
    await consumersReady.whenOpen(stopped);
  };
  const loop = (pull: PartitionPull) => {
    const request = (count: number) => pull.request(count);
    return pullPartition({ request, slots, concurrencyMax, whenReady, ensureConsumers, clock, stopped });
  };

  await ensureConsumers();
  for (let partition = 0; partition < partitionCount && !stopped.aborted; partition++) {
    pulls.push(new PartitionPull(connection, partition, onMessage));
  }
  const drained = aborted(stopped).then(() => {
    consumersReady.close();
    return Promise.race([Promise.all(pulls.map((pull) => pull.drain())), clock.sleep(drainTimeoutMs)]);
  });
  await Promise.all(pulls.map(loop));
  await drained;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => addAbortListener(signal, () => resolve()));
}
