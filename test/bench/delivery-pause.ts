import type { Filter } from "mongodb";
import { connect } from "nats";
import { allPartitions, streamName } from "#shared/nats/event-stream.ts";
import { until } from "../../deploy/local/servers/until.ts";
import type { Collections } from "../../services/registry/mongo/documents/collections.ts";
import type { OutboxDocument } from "../../services/registry/mongo/documents/documents.ts";
import { newIn } from "../../services/registry/mongo/outbox/outbox-mark.ts";

const waitMaxMs = 60_000;
const pauseMs = 3_600_000;
// A consumer wakes its waiting pull requests when its pause expires, but not when it is resumed explicitly (NATS 2.15).
const resumeAfterMs = 20;

/** Connects to NATS to pause the event stream's consumers. Requires NATS 2.11 or later. */
export async function openDeliveryPause(natsUrl: string, { outbox }: Pick<Collections, "outbox">) {
  const connection = await connect({ servers: natsUrl, timeout: 5_000 });
  const { consumers } = await connection.jetstreamManager();
  const names: string[] = [];
  for await (const { name } of consumers.list(streamName)) names.push(name);
  const whenNone = (filter: Filter<OutboxDocument>) =>
    until(AbortSignal.timeout(waitMaxMs), async () => (await outbox.findOne(filter)) === null);
  const pauseUntil = async (time: number) => {
    await Promise.all(names.map((name) => consumers.pause(streamName, name, new Date(time))));
  };
  return {
    pause: () => pauseUntil(Date.now() + pauseMs),
    resume: () => pauseUntil(Date.now() + resumeAfterMs),
    // Once the relay has read every event in the outbox, within a minute.
    whenTaken: () => whenNone(newIn(allPartitions)),
    // Once every event has an outcome, within a minute: recording it removes the event from the outbox.
    whenSettled: () => whenNone({}),
    close: () => connection.close(),
  };
}
