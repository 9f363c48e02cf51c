import { once } from "node:events";
import { Events, type NatsConnection } from "nats";
import { isConsumerMissing, partitionCount } from "#shared/nats/event-stream.ts";
import { logMissingPermissions } from "#shared/nats/log-missing-permissions.ts";
import { waitAtMost } from "#shared/time/wait-at-most.ts";
import type { Latch } from "../latch.ts";
import { ConsumerSetup, type ConsumerSetupOptions } from "./consumer-setup.ts";
import type { MessageDispatcher } from "./message-dispatcher.ts";
import { MessageSlot } from "./message-slot.ts";
import { type OnMessage, PartitionPull } from "./partition-pull.ts";
import { pullPartition } from "./pull-partition.ts";
import type { Semaphore } from "./semaphore.ts";

/** The dependencies and limits of {@link consumeConnection}. */
export interface ConsumeOptions extends ConsumerSetupOptions {
  readonly dispatcher: Pick<MessageDispatcher, "accept">;
  readonly slots: Semaphore;
  readonly concurrencyMax: number;
  /** Open while the registry is available. */
  readonly registryAvailable: Latch;
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
  const setup = new ConsumerSetup(connection, { consumersReady, clock, logger, stopped });
  const pulls: PartitionPull[] = [];
  const followConnection = async () => {
    for await (const { type } of connection.status()) {
      if (type === Events.Disconnect) {
        logger.warn("disconnected from NATS");
        setup.connectionBecame("down");
        for (const pull of pulls) pull.abandon();
      } else if (type === Events.Reconnect) {
        logger.info("reconnected to NATS");
        setup.connectionBecame("up");
      }
    }
  };
  logMissingPermissions(connection, logger);
  followConnection().catch((error: unknown) =>
    logger.error(
      { err: error },
      "cannot watch the NATS connection; after a disconnect, messages may arrive late or never; restart this replica",
    ),
  );

  const onMessage: OnMessage = (message, isExpected) => {
    if (!isExpected) slots.forceAcquire();
    dispatcher.accept(message, new MessageSlot(slots));
  };
  const whenReady = async () => {
    await registryAvailable.whenOpen(stopped);
    await consumersReady.whenOpen(stopped);
  };
  const loopOf = (pull: PartitionPull, partition: number) => {
    const request = (count: number) => pull.request(count);
    // Pulls also report an existing consumer as missing while it has no leader, such as during an election.
    const replaceMissing = async () => {
      if (await isConsumerMissing(connection, partition)) await setup.create();
    };
    return pullPartition({ request, slots, concurrencyMax, whenReady, replaceMissing, clock });
  };

  await setup.create();
  for (let partition = 0; partition < partitionCount && !stopped.aborted; partition++) {
    pulls.push(new PartitionPull(connection, partition, onMessage));
  }
  const loops = pulls.map(loopOf);
  if (!stopped.aborted) await once(stopped, "abort");
  setup.connectionBecame("stopped");
  const drained = waitAtMost(Promise.all(pulls.map((pull) => pull.drain())), drainTimeoutMs, clock);
  await Promise.all(loops.map((loop) => loop.stop()));
  await drained;
}
