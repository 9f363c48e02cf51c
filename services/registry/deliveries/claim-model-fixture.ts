import type { Scheduler } from "fast-check";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { Webhook } from "../stores/webhooks.ts";
import { claimDeliveries } from "./claim-deliveries.ts";
import { unsentOutcome } from "./claim-state.ts";
import type { DeliveryRecords } from "./delivery.ts";

/** A simulated attempt to deliver the event. */
export interface ModelAttempt {
  readonly token: string;
  /** For each call whose response is lost, starting with the first: the number of steps until it is retried. */
  readonly lostAfter: readonly number[];
  /** Whether the sender crashes after the POST, before it records the outcome. */
  readonly crashes: boolean;
}

/** A simulated POST; `outcomeBefore` is the outcome that was already stored when the POST began. */
interface ModelPost {
  readonly token: string;
  readonly outcomeBefore: string | null;
}

const claimLifeMs = 60_000;
// The shortest time between a failed call and its retry.
const backOffMs = 187;
const webhook: Webhook = { url: "https://receiver.test/", format: "v2", secrets: null };

/**
 * A model of one event's claims. Database operations are atomic. The scheduler delays them, their responses and the
 * steps of the attempts arbitrarily, and the clock advances with every step.
 */
export class ClaimModel {
  readonly posts: ModelPost[] = [];
  readonly #scheduler: Scheduler;
  readonly #stepsMs: Iterator<number>;
  readonly #hasWebhook: Iterator<boolean>;
  #nowMs = 1_000_000;
  #claim: { readonly token: string; claimedAt: Date; outcome: string | null } | undefined;

  /**
   * @param stepsMs durations by which the clock advances at each step; 1 ms once they are used up
   * @param hasWebhook whether each of the first calls finds a webhook; all later calls find one
   */
  constructor(scheduler: Scheduler, stepsMs: readonly number[], hasWebhook: readonly boolean[] = []) {
    this.#scheduler = scheduler;
    this.#stepsMs = stepsMs.values();
    this.#hasWebhook = hasWebhook.values();
  }

  /** The stored outcome; null if no outcome is stored. */
  get outcome(): string | null {
    return this.#claim?.outcome ?? null;
  }

  /** Runs an attempt to its end, as a notifier does. */
  async attempt({ token, lostAfter, crashes }: ModelAttempt): Promise<void> {
    let latestCall = 0;
    for (let call = 0; ; call++) {
      latestCall = call;
      await this.#step();
      if (call > 0) this.#nowMs += backOffMs;
      const startedMs = this.#nowMs;
      const claiming = this.#claimEvent(token, () => call === latestCall);
      const giveUpAfter = lostAfter[call];
      if (giveUpAfter !== undefined) {
        claiming.catch(() => undefined);
        for (let step = 0; step < giveUpAfter; step++) await this.#step();
        continue;
      }
      const answer = await claiming;
      if (answer?.decision !== "send") return;
      await this.#step();
      if (this.#nowMs - startedMs < answer.sendWithinMs) {
        this.posts.push({ token, outcomeBefore: this.outcome });
        if (crashes) return;
      }
      await this.#step();
      await this.#records().settle([unsentOutcome("evt_1", { kind: "delivered", reason: null })]);
      return;
    }
  }

  /** Advances the clock by the life of a claim, so that an existing claim counts as abandoned. */
  expireClaims(): void {
    this.#nowMs += claimLifeMs;
  }

  async #claimEvent(attemptToken: string, isAwaited: () => boolean) {
    const event = { eventId: "evt_1", storeId: "sto_1", certificateId: "crt_1", type: EventType.ISSUED };
    const request = { ...event, requestedBy: "", queuedAt: undefined, attemptToken };
    const timeLimitMs = () => {
      if (!isAwaited()) throw new Error("the caller is no longer waiting");
      return Number.POSITIVE_INFINITY;
    };
    const claimant = { claimedBy: "notifier", timeLimitMs };
    const [answer] = await claimDeliveries(this.#records(), [request], claimant);
    return answer;
  }

  #records(): DeliveryRecords {
    /** Runs an atomic database operation between two arbitrary delays. */
    const atomically = async <T>(operation: () => T): Promise<T> => {
      await this.#step();
      const result = operation();
      await this.#step();
      return result;
    };
    return {
      claimLifeMs,
      webhooksOf: () =>
        atomically(() => {
          const found = (this.#hasWebhook.next().value ?? true) ? webhook : null;
          return { webhooks: new Map([["sto_1", found]]), now: new Date(this.#nowMs) };
        }),
      claim: async ([request], { claimedAt }) => {
        const { attemptToken: token = "" } = request ?? {};
        const isNew = await atomically(() => {
          if (this.#claim !== undefined) return false;
          this.#claim = { token, claimedAt, outcome: null };
          return true;
        });
        if (isNew) return [{ isNew, claimedAt, isSettled: false, attemptToken: token }];
        return atomically(() => {
          const { claimedAt: earlier = claimedAt, outcome = null, token: attemptToken = "" } = this.#claim ?? {};
          return [{ isNew, claimedAt: earlier, isSettled: outcome !== null, attemptToken }];
        });
      },
      renew: async ([request], now) => {
        const isOwn = () => this.#claim?.token === request?.attemptToken && this.outcome === null;
        await atomically(() => {
          if (this.#claim !== undefined && isOwn() && this.#claim.claimedAt < now) this.#claim.claimedAt = now;
        });
        return atomically(() => new Set(isOwn() && (this.#claim?.claimedAt ?? 0) >= now ? ["evt_1"] : []));
      },
      settle: ([outcome]) =>
        atomically(() => {
          const { ifClaimedAt, kind = "" } = outcome ?? {};
          const isSame = ifClaimedAt === undefined || ifClaimedAt.getTime() === this.#claim?.claimedAt.getTime();
          if (this.#claim !== undefined && isSame) this.#claim.outcome ??= kind;
          return new Set(this.outcome === null ? [] : ["evt_1"]);
        }),
      release: async () => undefined,
    };
  }

  async #step(): Promise<void> {
    await this.#scheduler.schedule(Promise.resolve());
    this.#nowMs += this.#stepsMs.next().value ?? 1;
  }
}
