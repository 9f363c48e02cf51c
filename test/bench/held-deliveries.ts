import type { Filter } from "mongodb";
import { connect } from "nats";
import { streamName } from "#shared/nats/event-stream.ts";
import { until } from "../../deploy/local/servers/until.ts";
import type { Collections } from "../../services/registry/mongo/collections.ts";
import type { OutboxDocument } from "../../services/registry/mongo/documents.ts";

/** Events on their way to the notifier, which can be held up so that a backlog forms. */
export interface HeldDeliveries {
  /** The notifier gets nothing more. */
  hold(): Promise<void>;
  /** It gets everything again. */
  release(): Promise<void>;
  /** Resolves when the relay knows of every event. @throws Error when that takes over a minute */
  whenTaken(): Promise<void>;
  /** Resolves when every event is delivered and its outcome is recorded. @throws Error when that takes over a minute */
  whenSettled(): Promise<void>;
  close(): Promise<void>;
}

const waitMaxMs = 60_000;
const holdForMs = 3_600_000;
// A consumer whose pause ends by itself wakes the requests that wait for it; one that is resumed does not (NATS 2.15).
const releaseAfterMs = 20;

/** Holds deliveries up by pausing the stream's consumers, which is a feature of NATS 2.11 and later. */
export async function holdableDeliveries(
  natsUrl: string,
  { outbox }: Pick<Collections, "outbox">,
): Promise<HeldDeliveries> {
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
    hold: () => pauseUntil(Date.now() + holdForMs),
    release: () => pauseUntil(Date.now() + releaseAfterMs),
    whenTaken: () => whenNone({ taken: null }),
    // An event leaves the outbox with its outcome.
    whenSettled: () => whenNone({}),
    close: () => connection.close(),
  };
}
