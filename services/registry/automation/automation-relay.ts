import { Loop } from "#shared/lifecycle/loop.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { LeaseKeeper } from "../leases/lease-keeper.ts";
import type { LeasedTask } from "../leases/leased-queue.ts";
import type { AutomationEntry, AutomationOutbox, PublishAutomationEvent } from "./automation-outbox.ts";

export interface AutomationRelayDeps {
  readonly outbox: AutomationOutbox;
  readonly lease: LeasedTask;
  readonly publish: PublishAutomationEvent;
  /** Creates or updates the stream. Called each time this replica starts publishing. */
  readonly prepare: () => Promise<void>;
  /** Monotonic clock. */
  readonly clock: Clock;
  readonly logger: Logger;
}

const batchMax = 500;
const pollIntervalMs = 1_000;
const failurePauseMs = { first: 500, max: 30_000 };

/**
 * Publishes automation events from their outbox, independently of the webhook relay. Only the replica with the
 * lease publishes, so that replicas do not needlessly publish the same events.
 *
 * A store's events are published one after another, and an entry is deleted once the stream has stored its event or has
 * refused it permanently. The order does not depend on the lease: a relay publishes a store's next event only once the
 * stream has the previous one, and the stream drops copies of an event (recognized by id) within its duplicate window.
 */
export class AutomationRelay {
  readonly #deps: AutomationRelayDeps;
  readonly #lease: LeaseKeeper;
  readonly #loop: Loop;
  #isLeading = false;
  #isHeld = false;

  constructor(deps: AutomationRelayDeps) {
    this.#deps = deps;
    this.#lease = new LeaseKeeper(deps.lease, deps.clock);
    this.#loop = new Loop({ clock: deps.clock, failurePauseMs, step: (stopping) => this.#tryStep(stopping) });
  }

  /** Whether this replica holds the lease and publishes. */
  get isLeading(): boolean {
    return this.#isLeading;
  }

  start(): void {
    this.#loop.start();
  }

  /** Notifies the relay of new entries. */
  wake(): void {
    this.#loop.wake();
  }

  /** Stops the relay: waits for the events that are being published, then releases the lease. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    this.#isLeading = false;
    await this.#releaseLease();
  }

  async #tryStep(stopping: AbortSignal): Promise<number> {
    try {
      return (await this.#step(stopping)) ? 0 : pollIntervalMs;
    } catch (error) {
      this.#deps.logger.warn({ err: error }, "publishing automation events failed; retrying");
      this.#isLeading = false;
      await this.#releaseLease();
      throw error;
    }
  }

  async #releaseLease(): Promise<void> {
    const { logger } = this.#deps;
    await this.#lease
      .release()
      .catch((error: unknown) => logger.warn({ err: error }, "cannot release the automation relay's lease"));
  }

  /** @returns whether more entries may be waiting that can be published at once */
  async #step(stopping: AbortSignal): Promise<boolean> {
    const { outbox, prepare, logger } = this.#deps;
    if (!(await this.#lease.keep())) {
      this.#isLeading = false;
      return false;
    }
    if (!this.#isLeading) {
      await prepare();
      this.#isLeading = true;
      logger.info("automation relay is ready");
    }
    const wasHeld = this.#isHeld;
    this.#isHeld = await outbox.isHeld();
    if (this.#isHeld) {
      if (!wasHeld) logger.warn("automation events are held after a restore until you run backup release-automation");
      return false;
    }
    const entries = await outbox.read(batchMax);
    const stores = [...Map.groupBy(entries, ({ storeId }) => storeId).values()];
    const results = await Promise.allSettled(stores.map((ofStore) => this.#publishInOrder(ofStore, stopping)));
    let isProgressing = false;
    for (const result of results) {
      if (result.status === "rejected") throw result.reason;
      isProgressing ||= result.value;
    }
    return isProgressing;
  }

  /**
   * Publishes a store's entries one after another. If an earlier copy of one is still being stored, that entry and the
   * later ones wait for the next step: a wait in this one would let the lease expire.
   *
   * @returns false if entries wait
   */
  async #publishInOrder(entries: readonly AutomationEntry[], stopping: AbortSignal): Promise<boolean> {
    const { outbox, publish } = this.#deps;
    const published: string[] = [];
    try {
      for (const entry of entries) {
        if (stopping.aborted || !this.#lease.isCertain) return true;
        if ((await publish(entry)) === "pending") return false;
        published.push(entry.eventId);
      }
      return true;
    } finally {
      if (published.length > 0) await outbox.remove(published);
    }
  }
}
