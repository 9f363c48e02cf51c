import type { UpdateFilter } from "mongodb";
import { ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import type { Clock } from "#shared/time/clock.ts";
import { type ListenMessages, type ListenPage, messagesPerReadMax } from "../../listening/listen-messages.ts";
import { type ListenToken, type ListenTokens, listenTokensMax } from "../../listening/listen-tokens.ts";
import type { StoreChange } from "../../stores/store-history.ts";
import { notFound } from "../../values/not-found.ts";
import type { Collections } from "../documents/collections.ts";
import type { StoreDocument } from "../documents/documents.ts";
import type { ListenTokenDocument } from "../documents/listen-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { limited } from "../driver/time-limits.ts";
import type { MongoStoreHistory } from "../stores/mongo-store-history.ts";

type ListenCollections = Pick<Collections, "listenTokens" | "listenMessages" | "stores">;

/** Implements ListenTokens and ListenMessages with MongoDB. */
export class MongoListening implements ListenTokens, ListenMessages {
  readonly #collections: ListenCollections;
  readonly #history: MongoStoreHistory;
  readonly #clock: Clock;

  /** @param clock follows the database's clock */
  constructor(collections: ListenCollections, history: MongoStoreHistory, clock: Clock) {
    this.#collections = collections;
    this.#history = history;
    this.#clock = clock;
  }

  list(storeId: string): Promise<ListenToken[]> {
    return databaseCall(async () => {
      const found = await this.#collections.listenTokens
        .find({ store: storeId, ...this.#isValid() }, limited)
        .sort({ createdAt: 1 })
        .toArray();
      return found.map(tokenOf);
    });
  }

  add({ id, storeId, ...token }: ListenToken, tokenHash: Uint8Array, change: StoreChange): Promise<void> {
    const { listenTokens, stores } = this.#collections;
    return this.#history.record(storeId, change, async (session) => {
      // First, so that two transactions that add a token conflict instead of both finding room.
      const until = { $max: { listenUntil: token.expiresAt } };
      const { matchedCount } = await stores.updateOne({ _id: storeId }, until, { session });
      if (matchedCount === 0) throw notFound("store");
      const count = await listenTokens.countDocuments({ store: storeId, ...this.#isValid() }, { session });
      if (count >= listenTokensMax)
        throw new ServiceError("failed_precondition", reason("too_many_listen_tokens", { count: listenTokensMax }));
      await listenTokens.insertOne({ _id: textOf(tokenHash), store: storeId, token: id, ...token }, { session });
      return { hasChanged: true, value: undefined };
    });
  }

  remove(storeId: string, tokenId: string, change: StoreChange): Promise<void> {
    const { listenTokens, stores } = this.#collections;
    return this.#history.record(storeId, change, async (session) => {
      const deleted = await listenTokens.deleteOne({ store: storeId, token: tokenId }, { session });
      if (deleted.deletedCount === 0) throw notFound("listen token");
      const [last] = await listenTokens
        .find({ store: storeId }, { session })
        .sort({ expiresAt: -1 })
        .limit(1)
        .toArray();
      const until: UpdateFilter<StoreDocument> =
        last === undefined ? { $unset: { listenUntil: true } } : { $set: { listenUntil: last.expiresAt } };
      await stores.updateOne({ _id: storeId }, until, { session });
      return { hasChanged: true, value: undefined };
    });
  }

  findToken(tokenHash: Uint8Array): Promise<ListenToken | undefined> {
    return databaseCall(async () => {
      const filter = { _id: textOf(tokenHash), ...this.#isValid() };
      const found = await this.#collections.listenTokens.findOne(filter, limited);
      return found === null ? undefined : tokenOf(found);
    });
  }

  read({ id, storeId }: ListenToken, after: number | undefined): Promise<ListenPage> {
    const { listenMessages, stores } = this.#collections;
    return databaseCall(async () => {
      // Before the messages: those up to this number are committed, so that a missing one has been replaced or deleted.
      const store = await stores.findOne({ _id: storeId }, { ...limited, projection: { listened: 1 } });
      const newest = store?.listened ?? 0;
      if (after === undefined || after >= newest) return { events: [], position: newest, missedCount: 0 };
      const found = await listenMessages
        .find({ store: storeId, number: { $gt: after, $lte: newest } }, limited)
        .sort({ number: 1 })
        .limit(messagesPerReadMax)
        .toArray();
      const position = found.length < messagesPerReadMax ? newest : (found.at(-1)?.number ?? newest);
      const events = found.flatMap(({ listener = id, event }) => (listener === id ? [event.value()] : []));
      return { events, position, missedCount: position - after - found.length };
    });
  }

  #isValid() {
    return { expiresAt: { $gt: new Date(this.#clock.now()) } };
  }
}

function textOf(tokenHash: Uint8Array): string {
  return Buffer.from(tokenHash).toString("base64url");
}

function tokenOf({ token, store, prefix, createdAt, expiresAt, createdBy }: ListenTokenDocument): ListenToken {
  return { id: token, storeId: store, prefix, createdAt, expiresAt, createdBy };
}
