import { MongoBulkWriteError } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";
import type {
  DeliveryOutcome,
  DeliveryRecords,
  DeliveryRequest,
  StoredClaim,
  WebhooksSnapshot,
} from "../deliveries/delivery.ts";
import { type SecretBox, UnreadableSecret } from "../secrets/secret-box.ts";
import type { Webhook } from "../stores/webhooks.ts";
import type { Collections } from "./collections.ts";
import { databaseCall, isDuplicateKey } from "./database-error.ts";
import type { StoreDocument } from "./documents.ts";
import { openWebhook } from "./webhook-documents.ts";

interface MongoDeliveriesDeps {
  readonly collections: Pick<Collections, "deliveries" | "outbox" | "stores">;
  readonly box: SecretBox;
  readonly clock: Clock;
  /** Called with the ids of settled events after their outbox entries are deleted. */
  readonly onSettled: (eventIds: readonly string[]) => void;
  /**
   * Called with the kind of each newly recorded outcome, at most once per outcome: an error after the write skips the
   * call.
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
  readonly #deps: MongoDeliveriesDeps;

  constructor(deps: MongoDeliveriesDeps) {
    this.#deps = deps;
  }

  claim(requests: readonly DeliveryRequest[], claimedBy: string, claimedAt: Date): Promise<StoredClaim[]> {
    // An event that occurs twice in one call is claimed once.
    const distinct = [...new Map(requests.map((request) => [request.eventId, request])).values()];
    return databaseCall(async () => {
      const taken = await this.#insertClaims(distinct, claimedBy, claimedAt);
      const found =
        taken.size === 0 ? [] : await this.#deps.collections.deliveries.find({ _id: { $in: [...taken] } }).toArray();
      const earlier = new Map(found.map((document) => [document._id, document]));
      const seen = new Set<string>();
      return requests.map(({ eventId }) => {
        const document = earlier.get(eventId);
        const isNew = !taken.has(eventId) && !seen.has(eventId);
        seen.add(eventId);
        return {
          isNew,
          claimedAt: document?.claimedAt ?? claimedAt,
          isSettled: (document?.outcome ?? null) !== null,
        };
      });
    });
  }

  /** @returns the ids of the events that already had a claim */
  async #insertClaims(requests: readonly DeliveryRequest[], claimedBy: string, claimedAt: Date): Promise<Set<string>> {
    const documents = requests.map(({ eventId, storeId, certificateId, type, requestedBy }) => ({
      _id: eventId,
      store: storeId,
      certificate: certificateId,
      type,
      claimedBy,
      claimedAt,
      outcome: null,
      ...(requestedBy === "" ? {} : { requestedBy }),
    }));
    try {
      await this.#deps.collections.deliveries.insertMany(documents, { ordered: false });
      return new Set();
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError) || !isDuplicateKey(error)) throw error;
      const errors = [error.writeErrors].flat();
      return new Set(errors.flatMap(({ index }) => documents[index]?._id ?? []));
    }
  }

  settle(outcomes: readonly DeliveryOutcome[]): Promise<void> {
    const at = new Date(this.#deps.clock.now());
    // Copied field by field, so that other members of the caller's object are not stored.
    const updates = outcomes.map(({ eventId, ...outcome }) => {
      const { kind, httpStatus, durationMs, reason, phases, remoteAddress, replyExcerpt } = outcome;
      const document = { kind, httpStatus, durationMs, reason, phases, remoteAddress, replyExcerpt, at };
      const update = { $set: { outcome: document } };
      return { updateOne: { filter: { _id: eventId, outcome: null }, update } };
    });
    return databaseCall(async () => {
      const { matchedCount } = await this.#deps.collections.deliveries.bulkWrite(updates, { ordered: false });
      const recorded = outcomes.map(({ eventId, kind }) => ({ eventId, kind, at }));
      const settled = matchedCount === outcomes.length ? recorded : await this.#settledAmong(outcomes);
      // An outcome recorded by an earlier call has a different time.
      const ours = settled.filter((one) => one.at.getTime() === at.getTime());
      this.#deps.onRecorded(ours.map(({ kind }) => kind));
      await this.release(settled.map(({ eventId }) => eventId));
    });
  }

  async release(eventIds: readonly string[]): Promise<void> {
    await databaseCall(() => this.#deps.collections.outbox.deleteMany({ _id: { $in: [...eventIds] } }));
    this.#deps.onSettled(eventIds);
  }

  /** @returns the events whose outcome is stored, with the stored outcome */
  async #settledAmong(outcomes: readonly DeliveryOutcome[]): Promise<SettledEvent[]> {
    const filter = { _id: { $in: outcomes.map(({ eventId }) => eventId) } };
    const projection = { "outcome.kind": 1, "outcome.at": 1 };
    const found = await this.#deps.collections.deliveries.find(filter, { projection }).toArray();
    return found.flatMap(({ _id, outcome }) => (outcome === null ? [] : [{ eventId: _id, ...outcome }]));
  }

  webhooksOf(storeIds: readonly string[]): Promise<WebhooksSnapshot> {
    return databaseCall(async () => {
      const documents = await this.#deps.collections.stores
        .aggregate<StoredWebhook & { readonly now: Date }>([
          { $match: { _id: { $in: [...storeIds] } } },
          { $project: { webhook: 1, now: "$$NOW" } },
        ])
        .toArray();
      const webhooks = new Map(documents.map((document) => [document._id, this.#open(document)]));
      // If no store is found, nothing is sent and the time is not used.
      return { webhooks, now: documents[0]?.now ?? new Date(this.#deps.clock.now()) };
    });
  }

  #open({ _id, webhook }: StoredWebhook): Webhook | "unreadable" | null {
    try {
      return webhook && openWebhook(webhook, _id, this.#deps.box);
    } catch (error) {
      if (error instanceof UnreadableSecret) return "unreadable";
      throw error;
    }
  }
}
