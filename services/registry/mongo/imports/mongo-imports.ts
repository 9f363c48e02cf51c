import { randomUUID } from "node:crypto";
import { Binary, type Filter } from "mongodb";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { Clock } from "#shared/time/clock.ts";
import {
  claimLifeMs,
  type FileFault,
  type Import,
  type ImportClaim,
  type ImportProgress,
  type ImportQueue,
  type ImportState,
  type Imports,
  noProgress,
  type RejectedLine,
} from "../../imports/imports.ts";
import { importNotFound } from "../../values/not-found.ts";
import type { Collections } from "../documents/collections.ts";
import type { ImportDocument } from "../documents/import-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { addMs, type DatabaseTime, toMs } from "../driver/database-time.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";
import { LeaseTimes } from "../leases/lease-times.ts";
import type { MongoStoreHistory } from "../stores/mongo-store-history.ts";

const options = { maxTimeMS: operationTimeLimitMs };
const started: Filter<ImportDocument> = { state: { $in: ["examining", "issuing"] } };
const unclaimed = { token: "", until: new Date(0) };
const dayMs = 86_400_000;
/** Maximum number of imports that a store creates in any 24 hours. */
export const importsPerDayMax = 50;

/** Implements Imports and ImportQueue with the MongoDB collections `imports`, `importParts` and `rejectedLines`. */
export class MongoImports implements Imports, ImportQueue {
  readonly #collections: Pick<Collections, "imports" | "importParts" | "rejectedLines">;
  readonly #history: MongoStoreHistory;
  readonly #clock: Clock;
  readonly #databaseTime: DatabaseTime;
  readonly #lease: LeaseTimes;

  constructor(
    collections: Pick<Collections, "imports" | "importParts" | "rejectedLines">,
    history: MongoStoreHistory,
    clock: Clock,
    databaseTime: DatabaseTime = () => "$$NOW",
  ) {
    this.#collections = collections;
    this.#history = history;
    this.#clock = clock;
    this.#databaseTime = databaseTime;
    this.#lease = new LeaseTimes(claimLifeMs, databaseTime);
  }

  create({ id, storeId, actor, fileName }: Pick<Import, "id" | "storeId" | "actor" | "fileName">): Promise<void> {
    const { imports } = this.#collections;
    // By the database's clock, because an erasure by another replica compares it with its own beginning.
    const now = this.#databaseTime();
    return databaseCall(async () => {
      const isRecent = { $gt: [toMs("$createdAt"), addMs(now, -dayMs)] };
      const recent = await imports.countDocuments({ store: storeId, $expr: isRecent }, options);
      if (recent >= importsPerDayMax)
        throw new ServiceError(
          "rate_limited",
          `The store has created ${recent} imports in the last 24 hours, the maximum. Try again later.`,
        );
      const document: Omit<ImportDocument, "createdAt"> = {
        _id: id,
        store: storeId,
        actor,
        fileName,
        state: "uploading",
        parts: {},
        progress: noProgress,
        fault: null,
        claim: unclaimed,
      };
      const inserted = [{ $replaceWith: { $mergeObjects: [{ $literal: document }, { createdAt: now }] } }];
      await imports.updateOne({ _id: id }, inserted, { ...options, upsert: true });
    });
  }

  async addPart(storeId: string, importId: string, number: number, content: Uint8Array): Promise<void> {
    const { imports, importParts } = this.#collections;
    const part = { store: storeId, createdAt: this.#now(), content: new Binary(content) };
    const isUploading = await this.#history.transact(async (session) => {
      await importParts.replaceOne({ _id: { import: importId, number } }, part, { session, upsert: true });
      // Last, because the import's document is then locked only for the commit.
      const filter = { _id: importId, store: storeId, state: "uploading" as const };
      const set = { $set: { [`parts.${number}`]: content.length } };
      const { matchedCount } = await imports.updateOne(filter, set, { session });
      return { commit: matchedCount === 1, value: matchedCount === 1 };
    });
    const reason = "The import has already been started, so its file cannot be changed. Create a new import.";
    if (!isUploading) await this.#refuse(storeId, importId, reason);
  }

  async start(storeId: string, importId: string, state: ImportState, actor: string): Promise<void> {
    const { imports, rejectedLines } = this.#collections;
    const change = { action: "import.started", actor, details: { import: importId } } as const;
    const from: ImportState[] = state === "examining" ? ["uploading", "examined"] : ["examined"];
    const wasStarted = await this.#history.record(storeId, change, async (session) => {
      const filter = { _id: importId, store: storeId, state: { $in: from } };
      const set = { $set: { state, progress: noProgress, fault: null, claim: unclaimed } };
      const { matchedCount } = await imports.updateOne(filter, set, { session });
      if (matchedCount === 1) await rejectedLines.deleteMany({ "_id.import": importId }, { session });
      // An examination changes nothing in the store.
      return { hasChanged: matchedCount === 1 && state === "issuing", value: matchedCount === 1 };
    });
    const reason = "The import has already been started, or its file has not been examined yet.";
    if (!wasStarted) await this.#refuse(storeId, importId, reason);
  }

  find(storeId: string, importId: string): Promise<Import & { readonly hasFile: boolean }> {
    return databaseCall(async () => {
      const found = await this.#collections.imports.findOne({ _id: importId, store: storeId }, options);
      if (found === null) throw importNotFound();
      const first = { _id: { import: importId, number: 0 } };
      const hasFile = (await this.#collections.importParts.countDocuments(first, options)) > 0;
      return { ...importOf(found), hasFile };
    });
  }

  list(storeId: string, countMax: number): Promise<Import[]> {
    return databaseCall(() =>
      this.#collections.imports
        .find({ store: storeId }, options)
        .sort({ createdAt: -1 })
        .limit(countMax)
        .map(importOf)
        .toArray(),
    );
  }

  listRejectedLines(storeId: string, importId: string, after: number, countMax: number): Promise<RejectedLine[]> {
    return databaseCall(async () => {
      const { imports, rejectedLines } = this.#collections;
      if ((await imports.countDocuments({ _id: importId, store: storeId }, options)) === 0) throw importNotFound();
      const filter = { "_id.import": importId, "_id.number": { $gt: after } };
      return rejectedLines
        .find(filter, options)
        .sort({ "_id.number": 1 })
        .limit(countMax)
        .map(({ _id: { number }, line, column, reason }) => ({ number, line, column, reason }))
        .toArray();
    });
  }

  claim(): Promise<ImportClaim | undefined> {
    const token = randomUUID();
    const claim = [{ $set: { claim: { token, until: this.#lease.end() } } }];
    const how = { ...options, sort: { createdAt: 1 }, returnDocument: "after" } as const;
    return databaseCall(async () => {
      const { imports } = this.#collections;
      // Replicas that claim at the same moment may each claim an import of the same store, but no replica claims two of
      // them, so that capacity remains for other stores.
      const claims = await this.#claims();
      const busy = claims.flatMap(({ store, leftMs }) => (leftMs > 0 ? store : []));
      const expired = claims.flatMap(({ until, leftMs }) => (leftMs > 0 ? [] : until));
      const isFree = { "claim.until": { $in: [unclaimed.until, ...expired] } };
      const filter = { ...started, ...isFree, store: { $nin: busy } };
      const found = await imports.findOneAndUpdate(filter, claim, how);
      return found === null ? undefined : { ...importOf(found), claimToken: token };
    });
  }

  renew(claim: ImportClaim): Promise<boolean> {
    return databaseCall(async () => {
      const renewed = [{ $set: { "claim.until": this.#lease.end() } }];
      const { matchedCount } = await this.#collections.imports.updateOne(claimed(claim), renewed, options);
      return matchedCount === 1;
    });
  }

  /** Reads all claims, and ends those that a set-back of the database's clock has made too long. */
  async #claims() {
    const { imports } = this.#collections;
    const claims = await imports
      .aggregate<{ readonly _id: string; readonly store: string; readonly until: Date; readonly leftMs: number }>(
        [
          { $match: { ...started, "claim.until": { $gt: unclaimed.until } } },
          { $project: { store: 1, until: "$claim.until", leftMs: this.#lease.leftMs("$claim.until") } },
        ],
        options,
      )
      .toArray();
    const clamped = [{ $set: { "claim.until": this.#lease.latestEnd() } }];
    for (const { _id, until, leftMs } of claims)
      if (this.#lease.isTooLong(leftMs)) await imports.updateOne({ _id, "claim.until": until }, clamped, options);
    return claims;
  }

  readPart(importId: string, number: number): Promise<Uint8Array | undefined> {
    return databaseCall(async () => {
      const found = await this.#collections.importParts.findOne({ _id: { import: importId, number } }, options);
      return found?.content.value();
    });
  }

  save(claim: ImportClaim, progress: ImportProgress, lines: readonly RejectedLine[]): Promise<boolean> {
    const { imports, rejectedLines } = this.#collections;
    const createdAt = this.#now();
    const writes = lines.map(({ number, ...line }) => ({
      replaceOne: {
        filter: { _id: { import: claim.id, number } },
        replacement: { ...line, store: claim.storeId, createdAt },
        upsert: true,
      },
    }));
    // A transaction, because a replica can freeze between the writes: meanwhile, another one could complete the import,
    // and an erasure delete its lines.
    return this.#history.transact(async (session) => {
      if (writes.length > 0) await rejectedLines.bulkWrite(writes, { session });
      const { matchedCount } = await imports.updateOne(claimed(claim), { $set: { progress } }, { session });
      return { commit: matchedCount === 1, value: matchedCount === 1 };
    });
  }

  finish(claim: ImportClaim, progress: ImportProgress, fault: FileFault | null): Promise<void> {
    const state: ImportState = claim.state === "issuing" ? "finished" : "examined";
    return databaseCall(async () => {
      const set = { $set: { state, progress, fault, claim: unclaimed } };
      await this.#collections.imports.updateOne(claimed(claim), set, options);
    });
  }

  release(claim: ImportClaim): Promise<void> {
    return databaseCall(async () => {
      await this.#collections.imports.updateOne(claimed(claim), { $set: { claim: unclaimed } }, options);
    });
  }

  async #refuse(storeId: string, importId: string, reason: string): Promise<void> {
    await this.find(storeId, importId);
    throw new ServiceError("failed_precondition", reason);
  }

  #now(): Date {
    return new Date(this.#clock.now());
  }
}

function claimed({ id, claimToken }: ImportClaim): Filter<ImportDocument> {
  return { _id: id, "claim.token": claimToken };
}

function importOf({ _id: id, store: storeId, parts, claim: _, ...fields }: ImportDocument): Import {
  const fileBytes = Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
  return { id, storeId, fileBytes, ...fields };
}
