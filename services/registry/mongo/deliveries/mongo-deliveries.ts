import type { Clock } from "#shared/time/clock.ts";
import { defaultClaimLifeMs } from "../../deliveries/claim-state.ts";
import type {
  ClaimOrigin,
  DeliveryRecords,
  DeliveryRequest,
  OutcomeToStore,
  StoredClaim,
  WebhooksSnapshot,
} from "../../deliveries/delivery.ts";
import { mapSecrets } from "../../secrets/rotate-secrets.ts";
import { type SecretBox, unlessUnreadable } from "../../secrets/secret-box.ts";
import type { Webhook } from "../../stores/webhooks.ts";
import type { Collections } from "../documents/collections.ts";
import type { DeliveryDocument, StoreDocument } from "../documents/documents.ts";
import { storedOutcome } from "../documents/outcome-documents.ts";
import { bulkDuplicates } from "../driver/bulk-duplicates.ts";
import { databaseCall } from "../driver/database-error.ts";
import type { DatabaseTime } from "../driver/database-time.ts";
import { atMost, limited } from "../driver/time-limits.ts";
import { updateEach } from "../driver/write-each.ts";
import { leaseSlackMs } from "../leases/mongo-leases.ts";
import { reopenResent } from "./reopen-resent.ts";

interface MongoDeliveriesDeps {
  readonly collections: Pick<Collections, "deliveries" | "outbox" | "stores">;
  readonly box: SecretBox;
  readonly clock: Clock;
  /** See {@link DeliveryRecords.claimLifeMs}. Default 60,000. */
  readonly claimLifeMs?: number;
  /** Computes the time by which claims are made. Default `$$NOW`. */
  readonly databaseTime?: DatabaseTime;
  /** Called with the ids of settled events after their outbox entries are deleted. */
  readonly onSettled: (eventIds: readonly string[]) => void;
  /**
   * Called with the kinds of newly recorded outcomes; at most once per outcome, because only the call that has written
   * it counts it, and an error after the write skips the call.
   */
  readonly onRecorded: (kinds: readonly string[]) => void;
}

type StoredWebhook = Pick<StoreDocument, "_id" | "webhook">;

interface SettledEvent {
  readonly eventId: string;
  readonly kind: string;
  readonly at: Date;
}

/**
 * Implements DeliveryRecords with MongoDB. The event's id is the document's id, so that an event has only one claim.
 */
export class MongoDeliveries implements DeliveryRecords {
  readonly claimLifeMs: number;
  readonly #deps: MongoDeliveriesDeps;

  constructor(deps: MongoDeliveriesDeps) {
    this.#deps = deps;
    this.claimLifeMs = deps.claimLifeMs ?? defaultClaimLifeMs;
  }

  claim(requests: readonly DeliveryRequest[], origin: ClaimOrigin): Promise<StoredClaim[]> {
    return databaseCall(async () => {
      const taken = await this.#insertClaims(requests, origin);
      const found =
        taken.size === 0
          ? []
          : await this.#deps.collections.deliveries.find({ _id: { $in: [...taken] } }, limited).toArray();
      await this.#clampClaims(found, origin.claimedAt);
      const earlier = new Map(found.map((document) => [document._id, document]));
      const seen = new Set<string>();
      return requests.map(({ eventId, attemptToken }) => {
        // An event that occurs twice in one call is claimed once, by its first occurrence.
        const isFirst = !seen.has(eventId);
        seen.add(eventId);
        const document = earlier.get(eventId);
        // The read above misses a claim that a majority has not acknowledged yet. The renewal checks whether that claim
        // belongs to this attempt.
        const storedToken = document === undefined ? attemptToken : document.attemptToken;
        return {
          isNew: isFirst && !taken.has(eventId),
          claimedAt: document?.claimedAt ?? origin.claimedAt,
          isSettled: (document?.outcome ?? null) !== null,
          attemptToken: isFirst ? (storedToken ?? "") : "",
        };
      });
    });
  }

  /**
   * Sets claims from before a set-back of the database's clock to the current time, so that an abandoned one does not
   * hold up its certificate until the clock has caught up.
   */
  async #clampClaims(claims: readonly DeliveryDocument[], now: Date): Promise<void> {
    const latest = new Date(now.getTime() + leaseSlackMs);
    const ahead = claims.flatMap(({ _id, claimedAt, outcome }) => (outcome === null && claimedAt > latest ? _id : []));
    if (ahead.length === 0) return;
    const filter = { outcome: null, claimedAt: { $gt: latest } };
    await updateEach(this.#deps.collections.deliveries, ahead, filter, { $set: { claimedAt: now } }, limited);
  }

  /** @returns the ids of the events that already had a claim */
  async #insertClaims(
    requests: readonly DeliveryRequest[],
    { claimedBy, claimedAt, timeLimitMs = Number.POSITIVE_INFINITY }: ClaimOrigin,
  ): Promise<Set<string>> {
    const documents = new Map<string, DeliveryDocument>();
    for (const { eventId, storeId, certificateId, type, requestedBy, attemptToken } of requests) {
      if (documents.has(eventId)) continue;
      documents.set(eventId, {
        _id: eventId,
        store: storeId,
        certificate: certificateId,
        type,
        claimedBy,
        claimedAt,
        outcome: null,
        ...(requestedBy === "" ? {} : { requestedBy }),
        ...(attemptToken === "" ? {} : { attemptToken }),
      });
    }
    const inserted = [...documents.values()];
    const options = { ...atMost(timeLimitMs), ordered: false };
    // Throws an error that also has another cause: a claim that a majority has not acknowledged can be rolled back and
    // must not be granted.
    const { indexes } = await bulkDuplicates(this.#deps.collections.deliveries.insertMany(inserted, options));
    return new Set(indexes.flatMap((index) => inserted[index]?._id ?? []));
  }

  renew(requests: readonly DeliveryRequest[], now: Date): Promise<ReadonlySet<string>> {
    const { deliveries } = this.#deps.collections;
    const ids = requests.map(({ eventId }) => eventId);
    const claims = {
      // Tokens are random, so no claim has the token of another event's request.
      attemptToken: { $in: requests.map(({ attemptToken }) => attemptToken) },
      outcome: null,
    };
    return databaseCall(async () => {
      // A delayed write of an earlier call must not set the time back.
      await updateEach(deliveries, ids, claims, { $max: { claimedAt: now } }, limited);
      const found = await deliveries
        .find({ ...claims, _id: { $in: ids }, claimedAt: { $gte: now } }, { ...limited, projection: { _id: 1 } })
        .toArray();
      return new Set(found.map(({ _id }) => _id));
    });
  }

  settle(outcomes: readonly OutcomeToStore[]): Promise<ReadonlySet<string>> {
    const at = new Date(this.#deps.clock.now());
    const updates = outcomes.map(({ eventId, ifClaimedAt, sentRequest, ...outcome }) => {
      const document = { ...storedOutcome(outcome, at), ...(sentRequest && { sentRequest }) };
      const update = { $set: { outcome: document } };
      const filter = { _id: eventId, outcome: null, ...(ifClaimedAt && { claimedAt: ifClaimedAt }) };
      return { updateOne: { filter, update } };
    });
    return databaseCall(async () => {
      const { matchedCount } = await this.#deps.collections.deliveries.bulkWrite(updates, {
        ...limited,
        ordered: false,
      });
      const recorded = outcomes.map(({ eventId, kind }) => ({ eventId, kind, at }));
      const settled = matchedCount === outcomes.length ? recorded : await this.#settledAmong(outcomes);
      // An outcome recorded by an earlier call has a different time, unless both calls were in the same millisecond.
      const ours = settled.filter((one) => one.at.getTime() === at.getTime()).slice(0, matchedCount);
      this.#deps.onRecorded(ours.map(({ kind }) => kind));
      const settledIds = settled.map(({ eventId }) => eventId);
      await this.release(settledIds);
      return new Set(settledIds);
    });
  }

  async release(eventIds: readonly string[]): Promise<void> {
    const { deliveries, outbox } = this.#deps.collections;
    await databaseCall(async () => {
      await reopenResent(deliveries, eventIds);
      await outbox.deleteMany({ _id: { $in: [...eventIds] } }, limited);
    });
    this.#deps.onSettled(eventIds);
  }

  /** @returns the events whose outcome is stored, with the stored outcome */
  async #settledAmong(outcomes: readonly OutcomeToStore[]): Promise<SettledEvent[]> {
    const filter = { _id: { $in: outcomes.map(({ eventId }) => eventId) } };
    const projection = { "outcome.kind": 1, "outcome.at": 1 };
    const found = await this.#deps.collections.deliveries.find(filter, { ...limited, projection }).toArray();
    return found.flatMap(({ _id, outcome }) => (outcome === null ? [] : [{ eventId: _id, ...outcome }]));
  }

  webhooksOf(storeIds: readonly string[]): Promise<WebhooksSnapshot> {
    const { databaseTime = () => "$$NOW" } = this.#deps;
    return databaseCall(async () => {
      const documents = await this.#deps.collections.stores
        .aggregate<StoredWebhook & { readonly now: Date }>(
          [{ $match: { _id: { $in: [...storeIds] } } }, { $project: { webhook: 1, now: databaseTime() } }],
          limited,
        )
        .toArray();
      const webhooks = new Map(documents.map((document) => [document._id, this.#open(document)]));
      // If no store is found, nothing is sent: the events are claimed and skipped, for which the local time suffices.
      return { webhooks, now: documents[0]?.now ?? new Date(this.#deps.clock.now()) };
    });
  }

  #open({ _id, webhook }: StoredWebhook): Webhook | "unreadable" | null {
    if (webhook === null) return null;
    const { url, format, secrets } = webhook;
    if (secrets === null) return { url, format, secrets };
    return unlessUnreadable(() => {
      const opened = mapSecrets(secrets, ({ text }) => this.#deps.box.open(text, _id));
      return { url, format, secrets: opened };
    });
  }
}
