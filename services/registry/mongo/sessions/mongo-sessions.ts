import type { ClientSession } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";
import type { NewSession, Session, Sessions, SettingsLink, UsedPlatformToken } from "../../sessions/sessions.ts";
import type { StoreChange } from "../../stores/store-history.ts";
import { notFound } from "../../values/not-found.ts";
import { permittedTime } from "../../values/platform-lead.ts";
import type { Collections } from "../documents/collections.ts";
import { databaseCall } from "../driver/database-error.ts";
import { limited } from "../driver/time-limits.ts";
import type { MongoStoreHistory } from "../stores/mongo-store-history.ts";
import { revokeSessions } from "./revoke-sessions.ts";

type SessionCollections = Pick<Collections, "sessions" | "settingsLinks" | "platformTokens" | "storefronts" | "stores">;

/** Implements Sessions with the MongoDB collections `sessions`, `settingsLinks` and `platformTokens`. */
export class MongoSessions implements Sessions {
  readonly #collections: SessionCollections;
  readonly #history: MongoStoreHistory;
  readonly #clock: Clock;

  constructor(collections: SessionCollections, history: MongoStoreHistory, clock: Clock) {
    this.#collections = collections;
    this.#history = history;
    this.#clock = clock;
  }

  find(tokenHash: string): Promise<Session | undefined> {
    return databaseCall(async () => {
      const found = await this.#collections.sessions.findOne({ _id: tokenHash, ...this.#isValid() }, limited);
      return found === null ? undefined : { storeId: found.store, actor: found.actor, expiresAt: found.expiresAt };
    });
  }

  addLink({ secretHash, storeId, actor, expiresAt }: SettingsLink, createdBy: string): Promise<void> {
    const change: StoreChange = { action: "settings_link.created", actor: createdBy, details: { for: actor } };
    return this.#history.record(storeId, change, async (session) => {
      const store = await this.#collections.stores.findOne({ _id: storeId }, { projection: { _id: 1 }, session });
      if (store === null) throw notFound("store");
      const link = { _id: secretHash, store: storeId, actor, expiresAt };
      await this.#collections.settingsLinks.insertOne(link, { session });
      return { hasChanged: true, value: undefined };
    });
  }

  findLink(secretHash: string): Promise<SettingsLink | undefined> {
    return databaseCall(async () => {
      const found = await this.#collections.settingsLinks.findOne({ _id: secretHash, ...this.#isUnexpired() }, limited);
      return found === null
        ? undefined
        : { secretHash, storeId: found.store, actor: found.actor, expiresAt: found.expiresAt };
    });
  }

  openByLink(secretHash: string, opened: NewSession): Promise<boolean> {
    return this.#open(opened, "link", async (session) => {
      const filter = { _id: secretHash, ...this.#isUnexpired() };
      const { deletedCount } = await this.#collections.settingsLinks.deleteOne(filter, { session });
      return deletedCount === 1;
    });
  }

  openByPlatformToken({ idHash, issuedAt, expiresAt }: UsedPlatformToken, opened: NewSession): Promise<boolean> {
    const { platformTokens, storefronts } = this.#collections;
    const ofStore = { _id: opened.storeId };
    return this.#open(opened, "platform", async (session) => {
      const found = await storefronts.findOne(ofStore, { projection: { uninstalledAt: 1 }, session });
      if (found?.uninstalledAt !== undefined && issuedAt <= found.uninstalledAt) return false;
      const used = { $setOnInsert: { expiresAt } };
      const { upsertedCount } = await platformTokens.updateOne({ _id: idHash }, used, { upsert: true, session });
      if (upsertedCount === 0) return false;
      // The count always changes the document, so that the transaction conflicts with a removal of the app.
      const installed = { $max: { installedAt: permittedTime(issuedAt, this.#clock.now()) }, $inc: { signIns: 1 } };
      await storefronts.updateOne(ofStore, installed, { upsert: true, session });
      return true;
    });
  }

  revoke(tokenHash: string): Promise<void> {
    return databaseCall(async () => {
      const found = await this.#collections.sessions.findOne({ _id: tokenHash, ...this.#isValid() }, limited);
      if (found === null) return;
      const change: StoreChange = { action: "session.closed", actor: found.actor, details: {} };
      await this.#history.record(found.store, change, async (session) => {
        const filter = { _id: tokenHash, ...this.#isValid() };
        const revoked = { $set: { revokedAt: this.#now() } };
        const { matchedCount } = await this.#collections.sessions.updateOne(filter, revoked, { session });
        return { hasChanged: matchedCount === 1, value: undefined };
      });
    });
  }

  revokeAll(storeId: string, actor: string): Promise<number> {
    const change: StoreChange = { action: "sessions.revoked", actor, details: {} };
    return this.#history.record(storeId, change, async (session) => {
      const store = await this.#collections.stores.findOne({ _id: storeId }, { projection: { _id: 1 }, session });
      if (store === null) throw notFound("store");
      const value = await revokeSessions(this.#collections, storeId, { session, now: this.#now() });
      return { hasChanged: true, value };
    });
  }

  /** @param useProof consumes the sign-in link or platform token; returns false if it has been used or is not valid */
  #open(
    { tokenHash, storeId, actor, expiresAt }: NewSession,
    by: string,
    useProof: (session: ClientSession) => Promise<boolean>,
  ): Promise<boolean> {
    const change: StoreChange = { action: "session.opened", actor, details: { by } };
    return this.#history.record(storeId, change, async (session) => {
      const isUnused = await useProof(session);
      const document = { _id: tokenHash, store: storeId, actor, createdAt: this.#now(), expiresAt };
      if (isUnused) await this.#collections.sessions.insertOne(document, { session });
      return { hasChanged: isUnused, value: isUnused };
    });
  }

  #isValid() {
    return { ...this.#isUnexpired(), revokedAt: { $exists: false } };
  }

  #isUnexpired() {
    return { expiresAt: { $gt: this.#now() } };
  }

  #now(): Date {
    return new Date(this.#clock.now());
  }
}
