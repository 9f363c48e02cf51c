import type { CertificateEvent } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { DeliveryFailure } from "../webhook/delivery-failure.ts";
import { backOffMs } from "./back-off.ts";
import { decodeEvent } from "./decode-event.ts";
import { type Disposition, nak } from "./disposition.ts";
import type { HandleEvent } from "./handle-event.ts";
import type { IncomingMessage } from "./incoming-message.ts";
import type { MessageSlot } from "./message-slot.ts";
import type { NotifierMetrics } from "./notifier-metrics.ts";
import { slowMs } from "./store-concurrency.ts";
import {
  type NoSlot,
  type Release,
  StoreConcurrencyLimiter,
  type StoreConcurrencyLimiterOptions,
} from "./store-concurrency-limiter.ts";

/** What the dispatcher needs. */
export interface MessageDispatcherOptions {
  readonly handle: HandleEvent;
  /** Keeps a message that cannot be read. @throws Error when it is not kept */
  readonly quarantine: (message: IncomingMessage, problem: string) => Promise<void>;
  /** Deliveries under way to one store, and to those together that are not known to be quick. */
  readonly storeConcurrency: StoreConcurrencyLimiterOptions;
  /** Messages that wait without a slot, for their store or for a slot. */
  readonly waitingMax: number;
  /** Between two signs of life for each message in hand. Default 10,000: a third of ack_wait, so that one may get lost. */
  readonly heartbeatMs?: number;
  readonly clock: Clock;
  readonly metrics: NotifierMetrics;
  readonly logger: Logger;
}

const overloadedDelayMs = { first: 2_000, max: 30_000 };
const errorDelayMs = 5_000;
const lastRecordsMs = 2_000;

/**
 * Takes messages in hand and answers each of them, so many at a time for a store. A message that waits for its store gives
 * its slot back meanwhile, so a store with a backlog or a receiver that hangs takes no more slots than it may have
 * deliveries under way, and the pulls go on for the others. What waits stays here, alive by heartbeats; where too much
 * does, the store that crowds most has a message put back, for longer each time. Events of one certificate need no order
 * here: the next one comes only when the one before it is settled.
 */
export class MessageDispatcher {
  readonly #options: MessageDispatcherOptions;
  readonly #stores: StoreConcurrencyLimiter;
  readonly #inHand = new Map<IncomingMessage, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #cut = new AbortController();
  #withoutSlot = 0;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(options: MessageDispatcherOptions) {
    this.#options = options;
    this.#stores = new StoreConcurrencyLimiter(options.storeConcurrency);
    this.#heartbeat = setInterval(() => {
      for (const message of this.#inHand.keys()) message.working();
    }, options.heartbeatMs ?? 10_000);
  }

  /** Takes a message with its slot; resolves when it has been answered and the slot given back. Never fails. */
  accept(message: IncomingMessage, slot: MessageSlot): Promise<void> {
    const { logger, metrics } = this.#options;
    metrics.messageTaken();
    const answered = this.#answer(message, slot)
      .catch((error: unknown) => logger.error({ err: error }, "a message was not answered"))
      .finally(() => {
        this.#inHand.delete(message);
        metrics.messageAnswered();
        slot.giveBack();
      });
    this.#inHand.set(message, answered);
    return answered;
  }

  /**
   * Puts back what is not claimed, waits for what is, and after the grace period cuts it short: such attempts are
   * recorded as interrupted.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    this.#stores.close();
    await this.#idle(graceMs);
    this.#cut.abort(
      new DeliveryFailure(OutcomeKind.INTERRUPTED, "The sender was stopped before the receiver replied."),
    );
    await this.#idle(lastRecordsMs);
    clearInterval(this.#heartbeat);
  }

  async #idle(limitMs: number): Promise<void> {
    const over = new AbortController();
    const limit = this.#options.clock.sleep(limitMs, over.signal);
    await Promise.race([Promise.all(this.#inHand.values()), limit]);
    over.abort();
  }

  async #answer(message: IncomingMessage, slot: MessageSlot): Promise<void> {
    const decoded = decodeEvent(message.data);
    if ("problem" in decoded) await this.#setAside(message, decoded.problem);
    else this.#apply(message, await this.#takeTurn(decoded.event, message, slot));
  }

  async #takeTurn(
    event: CertificateEvent,
    { deliveryCount }: IncomingMessage,
    slot: MessageSlot,
  ): Promise<Disposition> {
    const { handle, logger } = this.#options;
    const release = this.#stores.tryAcquire(event.storeId) ?? (await this.#waitForTurn(event.storeId, slot));
    if (release === "closed") return nak("stopping", 0);
    if (release === "overloaded") {
      const { first, max } = overloadedDelayMs;
      return nak("overloaded", backOffMs(deliveryCount - 1, first, max));
    }
    try {
      const onSend = (sent: Promise<unknown>) => void this.#noteWhenSlow(event.storeId, sent);
      const disposition = await handle(event, this.#cut.signal, onSend);
      if (disposition.kind === "settled" && disposition.deliveryMs !== undefined)
        this.#stores.note(event.storeId, disposition.deliveryMs);
      return disposition;
    } catch (error) {
      logger.error({ err: error, eventId: event.id }, "an event could not be handled");
      return nak("error", errorDelayMs);
    } finally {
      release();
    }
  }

  /** A receiver that hangs is known long before it is given up. */
  async #noteWhenSlow(storeId: string, sent: Promise<unknown>): Promise<void> {
    const ended = new AbortController();
    const end = () => ended.abort();
    sent.then(end, end);
    await this.#options.clock.sleep(slowMs, ended.signal);
    if (!ended.signal.aborted) this.#stores.noteSlow(storeId);
  }

  /** Waits without a slot, for the store and then for a slot again. */
  async #waitForTurn(storeId: string, slot: MessageSlot): Promise<Release | NoSlot> {
    slot.giveBack();
    const hasRoom = this.#withoutSlot < this.#options.waitingMax;
    this.#withoutSlot++;
    try {
      const release = await this.#stores.acquire(storeId, hasRoom);
      if (typeof release === "string" || (await slot.take(this.#stopping.signal))) return release;
      release();
      return "closed";
    } finally {
      this.#withoutSlot--;
    }
  }

  #apply(message: IncomingMessage, disposition: Disposition): void {
    if (disposition.kind === "settled") {
      message.ack();
      return;
    }
    this.#options.metrics.nak(disposition.cause);
    message.nak(disposition.delayMs);
  }

  async #setAside(message: IncomingMessage, problem: string): Promise<void> {
    const { quarantine, logger, metrics } = this.#options;
    const { subject, sequence, messageId } = message;
    try {
      await quarantine(message, problem);
    } catch (error) {
      logger.warn({ err: error, subject, sequence, problem }, "a message could not be quarantined yet");
      this.#apply(message, nak("registry_away", errorDelayMs));
      return;
    }
    logger.error({ subject, sequence, messageId, problem }, "message quarantined");
    metrics.quarantined();
    message.term(problem);
  }
}
