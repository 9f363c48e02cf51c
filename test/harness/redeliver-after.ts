import { nanos } from "nats";
import { consumerName, partitionCount, streamName } from "#shared/nats/event-stream.ts";
import { connectForTest } from "./test-nats.ts";

/**
 * Changes the time after which JetStream redelivers a message that was not acknowledged (`ack_wait`). The change also
 * applies to messages that were delivered before it. A notifier that starts restores the usual time.
 */
export async function redeliverAfter(natsUrl: string, ms: number): Promise<void> {
  const connection = await connectForTest(natsUrl);
  try {
    const { consumers } = await connection.jetstreamManager();
    for (let partition = 0; partition < partitionCount; partition++)
      await consumers.update(streamName, consumerName(partition), { ack_wait: nanos(ms) });
  } finally {
    await connection.close();
  }
}
