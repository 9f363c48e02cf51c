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
import type { Webhook } from "../stores/store.ts";
import type { Collections } from "./collections.ts";
import { databaseError, isDuplicateKey } from "./database-error.ts";
import type { StoreDocument } from "./documents.ts";
import { openWebhook } from "./webhook-documents.ts";

/** What {@link MongoDeliveries} works with. */
export interface MongoDeliveriesDeps {
  readonly collections: Pick<Collections, "deliveries" | "outbox" | "stores">;
  readonly box: SecretBox;
  readonly clock: Clock;
  /** Told of events whose outcome is recorded. */
  readonly onSettled: (eventIds: readonly string[]) => void;
  /** Told of the kinds of outcomes that were recorded; of none twice. What failed after it was stored may be left out. */
  readonly onRecorded: (kinds: readonly string[]) => void;
}

type StoredWebhook = Pick<StoreDocument, "_id" | "webhook">;

interface SettledEvent {
  readonly eventId: string;
  readonly kind: string;
  readonly at: Date;
}

/** Deliveries in MongoDB: the event's id is the document's, so that the database lets one claim through. */
export class MongoDeliveries implements DeliveryRecords {
  readonly #collections: MongoDeliveriesDeps["collections"];
  readonly #box: SecretBox;
  readonly #clock: Clock;
  readonly #onSettled: MongoDeliveriesDeps["onSettled"];
  readonly #onRecorded: MongoDeliveriesDeps["onRecorded"];

  constructor({ collections, box, clock, onSettled, onRecorded }: MongoDeliveriesDeps) {
    this.#collections = collections;
    this.#box = box;
    this.#clock = clock;
    this.#onSettled = onSettled;
    this.#onRecorded = onRecorded;
  }

  async claim(
    requests: readonly DeliveryRequest[],
    claimedBy: string,
    claimedAt: Date,
  ): Promise<StoredClaim[]> {
    // An event that stands twice in one call is claimed once.
    const distinct = [...new Map(requests.map((request) => [request.eventId, request])).values()];
    try {
      const taken = await this.#insertClaims(distinct, claimedBy, claimedAt);
      const found =
        taken.size === 0
          ? []
          : await this.#collections.deliveries.find({ _id: { $in: [...taken] } }).toArray();
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
    } catch (error) {
      throw databaseError(error);
    }
  }

  /** @returns the ids of the events that were claimed before */
  async #insertClaims(
    requests: readonly DeliveryRequest[],
    claimedBy: string,
    claimedAt: Date,
  ): Promise<Set<string>> {
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
      await this.#collections.deliveries.insertMany(documents, { ordered: false });
      return new Set();
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError) || !isDuplicateKey(error)) throw error;
      const errors = [error.writeErrors].flat();
      return new Set(errors.flatMap(({ index }) => documents[index]?._id ?? []));
    }
  }

  async settle(outcomes: readonly DeliveryOutcome[]): Promise<void> {
    const at = new Date(this.#clock.now());
    // Field by field: what a caller's object holds beside them stays out of the document.
    const updates = outcomes.map(({ eventId, ...outcome }) => {
      const { kind, httpStatus, durationMs, reason, phases, remoteAddress, replyExcerpt } = outcome;
      const document = { kind, httpStatus, durationMs, reason, phases, remoteAddress, replyExcerpt, at };
      const update = { $set: { outcome: document } };
      return { updateOne: { filter: { _id: eventId, outcome: null }, update } };
    });
    try {
      const { matchedCount } = await this.#collections.deliveries.bulkWrite(updates, { ordered: false });
      const recorded = outcomes.map(({ eventId, kind }) => ({ eventId, kind, at }));
      const settled = matchedCount === outcomes.length ? recorded : await this.#settledAmong(outcomes);
      // What had its outcome before has another time.
      const ours = settled.filter((one) => one.at.getTime() === at.getTime());
      this.#onRecorded(ours.map(({ kind }) => kind));
      await this.release(settled.map(({ eventId }) => eventId));
    } catch (error) {
      throw databaseError(error);
    }
  }

  async release(eventIds: readonly string[]): Promise<void> {
    try {
      await this.#collections.outbox.deleteMany({ _id: { $in: [...eventIds] } });
    } catch (error) {
      throw databaseError(error);
    }
    this.#onSettled(eventIds);
  }

  /** @returns those whose outcome is stored, with the outcome that is */
  async #settledAmong(outcomes: readonly DeliveryOutcome[]): Promise<SettledEvent[]> {
    const filter = { _id: { $in: outcomes.map(({ eventId }) => eventId) } };
    const projection = { "outcome.kind": 1, "outcome.at": 1 };
    const found = await this.#collections.deliveries.find(filter, { projection }).toArray();
    return found.flatMap(({ _id, outcome }) => (outcome === null ? [] : [{ eventId: _id, ...outcome }]));
  }

  async webhooksOf(storeIds: readonly string[]): Promise<WebhooksSnapshot> {
    try {
      const documents = await this.#collections.stores
        .aggregate<StoredWebhook & { readonly now: Date }>([
          { $match: { _id: { $in: [...storeIds] } } },
          { $project: { webhook: 1, now: "$$NOW" } },
        ])
        .toArray();
      const webhooks = new Map(documents.map((document) => [document._id, this.#open(document)]));
      // Without any of these stores nothing is sent, whatever the time.
      return { webhooks, now: documents[0]?.now ?? new Date(this.#clock.now()) };
    } catch (error) {
      throw databaseError(error);
    }
  }

  #open({ _id, webhook }: StoredWebhook): Webhook | "unreadable" | null {
    try {
      return webhook && openWebhook(webhook, _id, this.#box);
    } catch (error) {
      if (error instanceof UnreadableSecret) return "unreadable";
      throw error;
    }
  }
}
