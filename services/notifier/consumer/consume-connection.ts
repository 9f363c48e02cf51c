import type { NatsConnection } from "nats";
import { partitionCount } from "#shared/nats/event-stream.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Gate } from "../gate.ts";
import { ensureJetStream } from "./ensure-jet-stream.ts";
import { followConnection } from "./follow-connection.ts";
import type { MessageDispatcher } from "./message-dispatcher.ts";
import { MessageSlot } from "./message-slot.ts";
import { PartitionPull, type TakeMessage } from "./partition-pull.ts";
import { pullPartition } from "./pull-partition.ts";
import type { Semaphore } from "./semaphore.ts";

/** What consuming needs, whatever the connection. */
export interface ConsumeOptions {
  readonly dispatcher: Pick<MessageDispatcher, "accept">;
  readonly slots: Semaphore;
  readonly concurrencyMax: number;
  readonly streamReplicas: number;
  /** Open while the registry answers. */
  readonly registry: Gate;
  /** Opened and closed here: open while the consumers can be pulled from. */
  readonly messages: Gate;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly stopped: AbortSignal;
}

const drainLimitMs = 2_000;

/**
 * Pulls from every partition over one connection, until stopped or until the connection is closed for good. Messages
 * that were handed over may still be in hand when it returns.
 */
export async function consumeConnection(connection: NatsConnection, options: ConsumeOptions): Promise<void> {
  const { dispatcher, slots, registry, messages, clock, logger } = options;
  const closed = new AbortController();
  connection.closed().then(() => closed.abort());
  const stopped = AbortSignal.any([options.stopped, closed.signal]);

  const pulls: PartitionPull[] = [];
  const lost = () => {
    messages.close();
    for (const pull of pulls) pull.abandon();
  };
  followConnection(connection, { lost, back: () => messages.open() }, logger).catch((error: unknown) =>
    logger.error({ err: error }, "the connection to NATS is not followed any more"),
  );

  const makeConsumers = async () => {
    messages.close();
    await ensureJetStream({ connection, replicas: options.streamReplicas, clock, logger, stopped });
    if (!stopped.aborted) messages.open();
  };
  // The sixteen loops miss their consumers at the same time; they are made once.
  let making: Promise<void> | undefined;
  const ensure = () => {
    making ??= makeConsumers().finally(() => {
      making = undefined;
    });
    return making;
  };

  const take: TakeMessage = (message, isExpected) => {
    if (!isExpected) slots.forceAcquire();
    dispatcher.accept(message, new MessageSlot(slots));
  };
  const whenReady = async () => {
    await registry.whenOpen(stopped);
    await messages.whenOpen(stopped);
  };
  const loop = async (pull: PartitionPull) => {
    const request = (count: number) => pull.request(count);
    const { concurrencyMax } = options;
    await pullPartition({ request, slots, concurrencyMax, whenReady, ensure, clock, stopped });
  };

  await ensure();
  for (let partition = 0; partition < partitionCount && !stopped.aborted; partition++) {
    pulls.push(new PartitionPull(connection, partition, take));
  }
  const drained = aborted(stopped).then(() => {
    messages.close();
    return Promise.race([Promise.all(pulls.map((pull) => pull.drain())), clock.sleep(drainLimitMs)]);
  });
  await Promise.all(pulls.map(loop));
  await drained;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
