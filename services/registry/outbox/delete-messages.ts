import { type NatsConnection, NatsError } from "nats";
import { type Clock, steadyClock } from "#shared/time/clock.ts";

/** The stream and the subjects of a store's messages. */
export interface MessagePlace {
  readonly stream: string;
  /** A pattern that matches the subjects of these messages. */
  readonly subjects: string;
}

/** Selects messages of a store for deletion. */
export interface MessageSelection {
  /** The sequence number to begin at. Default: the first of the stream. */
  readonly from?: number | undefined;
  readonly matches: (bytes: Uint8Array) => boolean;
  /** Returns whether an event is settled; messages of events that are not settled are kept. */
  readonly isSettled: (eventId: string) => Promise<boolean>;
  /** If false, counts without deleting. */
  readonly apply: boolean;
}

/** The result of {@link deleteMessages}. */
export interface DeletedMessages {
  /** The number of messages that were deleted, or would be. */
  readonly count: number;
  /** The number of matching messages whose events are not settled. */
  readonly waitingCount: number;
  /** The sequence number at which the next step begins; undefined after the last message. */
  readonly next: number | undefined;
}

// JSNoMessageFoundErr of nats-server.
const noMessageCode = 10_037;
// Each message takes a round trip to NATS; a step must end well within a caller's time limit and a worker's lease.
const messagesPerStep = 500;
const stepMs = 2_000;

/**
 * Deletes selected messages of a store from the stream and overwrites their bytes, or only counts them; reads at most
 * 500 messages, and begins no other after two seconds. Requires the permissions to get and to delete messages of the
 * stream.
 *
 * @param clock a monotonic clock
 */
export async function deleteMessages(
  connection: NatsConnection,
  { stream, subjects }: MessagePlace,
  { from = 1, matches, isSettled, apply }: MessageSelection,
  clock: Pick<Clock, "now"> = steadyClock,
): Promise<DeletedMessages> {
  const { streams } = await connection.jetstreamManager({ checkAPI: false });
  let count = 0;
  let waitingCount = 0;
  let next = from;
  const endsAt = clock.now() + stepMs;
  for (let read = 0; read < messagesPerStep && (read === 0 || clock.now() < endsAt); read++) {
    const message = await nextMessage(streams, { stream, subjects }, next);
    if (message === undefined) return { count, waitingCount, next: undefined };
    next = message.seq + 1;
    if (!matches(message.data)) continue;
    if (!(await isSettled(message.header.get("Nats-Msg-Id")))) waitingCount++;
    else {
      count++;
      if (apply) await streams.deleteMessage(stream, message.seq, true);
    }
  }
  return { count, waitingCount, next };
}

type Streams = Awaited<ReturnType<NatsConnection["jetstreamManager"]>>["streams"];

/** Returns the first message with a matching subject at or after a sequence number; undefined if there is none. */
async function nextMessage(streams: Streams, { stream, subjects }: MessagePlace, seq: number) {
  // The client library's type lacks `next_by_subj` (NATS ADR-31).
  const query = { seq, next_by_subj: subjects };
  try {
    return await streams.getMessage(stream, query);
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.err_code === noMessageCode) return undefined;
    throw error;
  }
}
