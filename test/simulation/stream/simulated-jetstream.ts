import type { Clock } from "#shared/time/clock.ts";
import type { DeletedMessages, MessageSelection } from "../../../services/registry/outbox/delete-messages.ts";
import type { OutboxEntry } from "../../../services/registry/outbox/outbox.ts";
import type { EventStream } from "./event-stream.ts";

/** A stored message. */
interface Message {
  readonly entry: OutboxEntry;
  /** When it is delivered again unless it is acknowledged first; in the past if it has not been delivered. */
  pendingUntilMs: number;
}

// As in #shared/nats/event-stream.ts.
/** How long a message is dropped that has the id of an earlier one. */
export const duplicateWindowMs = 10 * 60_000;
const ackWaitMs = 30_000;

/**
 * The stream of the registry's events in memory: a work queue that drops duplicates by message id for ten minutes,
 * stores at most one message for each event, and delivers a message again until it is acknowledged.
 */
export class SimulatedJetStream implements EventStream {
  readonly #clock: Clock;
  readonly #messages = new Map<string, Message>();
  readonly #publishedAtMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly publish = async (entry: OutboxEntry): Promise<undefined> => {
    const now = this.#clock.now();
    const last = this.#publishedAtMs.get(entry.eventId) ?? Number.NEGATIVE_INFINITY;
    if (this.#messages.has(entry.eventId) || now - last < duplicateWindowMs) return;
    this.#publishedAtMs.set(entry.eventId, now);
    this.#messages.set(entry.eventId, { entry, pendingUntilMs: Number.NEGATIVE_INFINITY });
  };

  readonly deleteMessages = async (storeId: string, selection: MessageSelection): Promise<DeletedMessages> => {
    const { matches, isSettled, apply } = selection;
    let [count, waitingCount] = [0, 0];
    for (const { entry } of Array.from(this.#messages.values())) {
      if (entry.storeId !== storeId || !matches(entry.event)) continue;
      if (!(await isSettled(entry.eventId))) waitingCount++;
      else {
        count++;
        if (apply) this.#messages.delete(entry.eventId);
      }
    }
    return { count, waitingCount };
  };

  readonly messagesOf = async (storeId: string): Promise<readonly Uint8Array[]> =>
    Array.from(this.#messages.values())
      .filter(({ entry }) => entry.storeId === storeId)
      .map(({ entry }) => entry.event);

  /** Delivers the oldest message that is not pending; `undefined` if there is none. */
  next(): OutboxEntry | undefined {
    const now = this.#clock.now();
    for (const message of this.#messages.values()) {
      if (message.pendingUntilMs > now) continue;
      message.pendingUntilMs = now + ackWaitMs;
      return message.entry;
    }
    return undefined;
  }

  /** Removes a message. */
  acknowledge(eventId: string): void {
    this.#messages.delete(eventId);
  }

  /** Loses all messages, as when the stream's storage is lost and the stream is created again. */
  lose(): void {
    this.#messages.clear();
    this.#publishedAtMs.clear();
  }
}
