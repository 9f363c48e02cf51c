import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { CertificateEvent } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { streamName } from "#shared/nats/event-stream.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import { backOffMs } from "#shared/retry/back-off.ts";
import type { Clock } from "#shared/time/clock.ts";
import { waitAtMost } from "#shared/time/wait-at-most.ts";
import { inChildSpan, SpanKind } from "#shared/trace/spans.ts";
import { DeliveryFailure } from "../webhook/delivery-failure.ts";
import { type Disposition, nak } from "./disposition.ts";
import type { HandleEvent } from "./handle-event.ts";
import { decodeEvent, type IncomingMessage } from "./incoming-message.ts";
import type { MessageSlot } from "./message-slot.ts";
import type { NotifierMetrics } from "./notifier-metrics.ts";
import { slowMs } from "./store-concurrency.ts";
import {
  type Rejection,
  type Release,
  StoreConcurrencyLimiter,
  type StoreConcurrencyLimiterOptions,
} from "./store-concurrency-limiter.ts";

/** The dependencies and limits of a {@link MessageDispatcher}. */
export interface MessageDispatcherOptions {
  readonly handle: HandleEvent;
  /** Stores a message without an event that can be sent (dead-letter). @throws Error if it is not stored */
  readonly quarantine: (message: IncomingMessage, problem: Reason) => Promise<void>;
  readonly storeConcurrency: StoreConcurrencyLimiterOptions;
  /** Maximum number of messages that wait, without a slot, for their store or for a new slot. */
  readonly waitingMax: number;
  readonly clock: Clock;
  readonly metrics: NotifierMetrics;
  readonly logger: Logger;
}

const overloadedDelayMs = { first: 2_000, max: 30_000 };
const errorDelayMs = 5_000;
// An upgrade that starts with the registries publishes types that the notifiers do not know yet. They have an hour from
// the change on. An hour from the publication would never end for a backlog: the registry publishes few of a store's
// events at once. The number of deliveries ends the hour of an event whose time is in the future.
const unknownType = { delayMs: 15_000, ageMaxMs: 3_600_000, deliveriesMax: 240 } as const;
const finalRecordsMs = 2_000;
// A third of ack_wait, so that losing one heartbeat does not cause redelivery.
const heartbeatMs = 10_000;

/**
 * Dispatches messages to the event handler, with limited concurrency per store, and answers each message. A message
 * that waits for its store releases its slot, so a store with a backlog or a hanging receiver takes no slots beyond its
 * limit, and the pulls continue for the other stores. Waiting messages stay in memory; heartbeats prevent their
 * redelivery. When too many messages wait, one of them is returned to JetStream, with exponential backoff.
 * Events of one certificate need no ordering here: the registry publishes an event only after the certificate's
 * previous event is settled.
 */
export class MessageDispatcher {
  readonly #options: MessageDispatcherOptions;
  readonly #stores: StoreConcurrencyLimiter;
  readonly #inProgress = new Map<IncomingMessage, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #interrupt = new AbortController();
  #waiting = 0;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(options: MessageDispatcherOptions) {
    this.#options = options;
    this.#stores = new StoreConcurrencyLimiter(options.storeConcurrency);
    // A timer suffices: a heartbeat awaits nothing.
    this.#heartbeat = setInterval(() => {
      for (const message of this.#inProgress.keys()) message.working();
    }, heartbeatMs);
  }

  /** Processes and answers a message; resolves once its slot is released. Never rejects. */
  accept(message: IncomingMessage, slot: MessageSlot): Promise<void> {
    const { logger, metrics } = this.#options;
    metrics.messageStarted();
    const answered = this.#process(message, slot)
      .catch((error: unknown) => logger.error({ err: error }, "failed to acknowledge a message"))
      .finally(() => {
        this.#inProgress.delete(message);
        metrics.messageEnded();
        slot.release();
      });
    this.#inProgress.set(message, answered);
    return answered;
  }

  /**
   * Requests redelivery of waiting and new messages, and waits for deliveries in progress. After `graceMs`, interrupts
   * the remaining deliveries, and waits up to two more seconds for their outcomes to be recorded.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    this.#stores.close();
    await this.#drain(graceMs);
    this.#interrupt.abort(new DeliveryFailure(OutcomeKind.INTERRUPTED, reason("sender_stopped")));
    await this.#drain(finalRecordsMs);
    clearInterval(this.#heartbeat);
  }

  async #drain(limitMs: number): Promise<void> {
    await waitAtMost(Promise.all(this.#inProgress.values()), limitMs, this.#options.clock);
  }

  async #process(message: IncomingMessage, slot: MessageSlot): Promise<void> {
    const decoded = decodeEvent(message.data);
    if ("event" in decoded) this.#apply(message, await this.#handleInSpan(decoded.event, message, slot));
    else if (decoded.mayBecomeKnown && this.#mayWait(decoded.mayBecomeKnown, message))
      this.#apply(message, nak("unknown_type", unknownType.delayMs));
    else await this.#quarantine(message, decoded.problem);
  }

  /** Whether an event of an unknown type may wait for a notifier of a later version. */
  #mayWait({ occurredAt, queuedAt = occurredAt }: CertificateEvent, { deliveryCount }: IncomingMessage): boolean {
    const { ageMaxMs, deliveriesMax } = unknownType;
    const ageMs = queuedAt === undefined ? ageMaxMs : this.#options.clock.now() - timestampMs(queuedAt);
    return ageMs < ageMaxMs && deliveryCount <= deliveriesMax;
  }

  #handleInSpan(event: CertificateEvent, message: IncomingMessage, slot: MessageSlot): Promise<Disposition> {
    const attributes = { "messaging.system": "nats", "messaging.message.id": event.id };
    const options = { kind: SpanKind.CONSUMER, parent: message.traceparent, attributes };
    return inChildSpan(`process ${streamName}`, options, async (span) => {
      const disposition = await this.#handle(event, message, slot);
      span.set({ "certificate_registry.disposition": disposition.kind });
      return disposition;
    });
  }

  async #handle(event: CertificateEvent, { deliveryCount }: IncomingMessage, slot: MessageSlot): Promise<Disposition> {
    const { handle, logger } = this.#options;
    const { id: eventId, storeId } = event;
    const release = this.#stores.tryAcquire(storeId) ?? (await this.#waitForSlots(storeId, slot));
    if (release === "closed") return nak("stopping", 0);
    if (release === "overloaded") {
      const { first, max } = overloadedDelayMs;
      return nak("overloaded", backOffMs(deliveryCount - 1, first, max));
    }
    try {
      const onSend = (sent: Promise<unknown>) => this.#markSlowIfPending(storeId, sent);
      const disposition = await handle(event, this.#interrupt.signal, onSend);
      if (disposition.kind === "ack") {
        if (disposition.deliveryMs !== undefined) this.#stores.recordLatency(storeId, disposition.deliveryMs);
        if (disposition.isSkipped) this.#stores.recordSkip(storeId);
      }
      return disposition;
    } catch (error) {
      logger.error({ err: error, eventId }, "failed to handle an event");
      return nak("error", errorDelayMs);
    } finally {
      release();
    }
  }

  /** Marks the store slow as soon as a delivery exceeds {@link slowMs}, without waiting for the delivery to end. */
  #markSlowIfPending(storeId: string, sent: Promise<unknown>): void {
    const timer = setTimeout(() => this.#stores.markSlow(storeId), slowMs);
    const end = () => clearTimeout(timer);
    sent.then(end, end);
  }

  /** Releases the slot, waits for the store, and reacquires a slot. */
  async #waitForSlots(storeId: string, slot: MessageSlot): Promise<Release | Rejection> {
    slot.release();
    const mayWait = this.#waiting < this.#options.waitingMax;
    this.#waiting++;
    try {
      const release = await this.#stores.acquire(storeId, mayWait);
      if (typeof release === "string" || (await slot.reacquire(this.#stopping.signal))) return release;
      release();
      return "closed";
    } finally {
      this.#waiting--;
    }
  }

  #apply(message: IncomingMessage, disposition: Disposition): void {
    if (disposition.kind === "ack") {
      message.ack();
      return;
    }
    this.#options.metrics.nak(disposition.cause);
    message.nak(disposition.delayMs);
  }

  async #quarantine(message: IncomingMessage, problem: Reason): Promise<void> {
    const { quarantine, logger, metrics } = this.#options;
    const { subject, sequence, messageId } = message;
    try {
      await quarantine(message, problem);
    } catch (error) {
      logger.warn({ err: error, subject, sequence, problem }, "failed to quarantine a message; will retry");
      this.#apply(message, nak("registry_unavailable", errorDelayMs));
      return;
    }
    logger.error({ subject, sequence, messageId, problem }, "quarantined a message");
    metrics.quarantined();
    message.term(problem.code);
  }
}
