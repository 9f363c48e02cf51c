import { Binary } from "mongodb";
import { ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import type { Clock } from "#shared/time/clock.ts";
import {
  type FileFault,
  type Import,
  type ImportClaim,
  type ImportProgress,
  type ImportQueue,
  type ImportState,
  type Imports,
  importLeaseMs,
  isFurther,
  linesPerGroup,
  noProgress,
  type RejectedLine,
  type RejectedLineGroup,
  rejectedLinesMax,
  type SaveResult,
} from "../../imports/imports.ts";
import type { WorkClaim } from "../../leases/leased-queue.ts";
import { notFound } from "../../values/not-found.ts";
import type { Collections } from "../documents/collections.ts";
import { compoundKey } from "../documents/compound-key.ts";
import type { ImportDocument } from "../documents/import-documents.ts";
import { lastDay } from "../driver/database-clock.ts";
import { databaseCall } from "../driver/database-error.ts";
import type { DatabaseTime } from "../driver/database-time.ts";
import { limited } from "../driver/time-limits.ts";
import { claimedBy, isLeased, MongoLeases, wasAbandoned } from "../leases/mongo-leases.ts";
import type { MongoStoreHistory } from "../stores/mongo-store-history.ts";

/**
 * Maximum number of imports that a store creates in any 24 hours. Imports that are created at the same time may
 * together exceed it; the quota of a store's changes bounds how many these are.
 */
export const importsPerDayMax = 50;

/** Implements Imports and ImportQueue with the MongoDB collections `imports`, `importParts` and `rejectedLines`. */
export class MongoImports implements Imports, ImportQueue {
  readonly #collections: Pick<Collections, "imports" | "importParts" | "rejectedLines">;
  readonly #history: MongoStoreHistory;
  readonly #clock: Clock;
  readonly #databaseTime: DatabaseTime;
  readonly #leases: MongoLeases<ImportDocument>;
  readonly lifeMs = importLeaseMs;

  /** @param clock the database's clock */
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
    this.#leases = new MongoLeases(collections.imports, importLeaseMs, databaseTime);
  }

  create({ id, storeId, actor, fileName }: Pick<Import, "id" | "storeId" | "actor" | "fileName">): Promise<void> {
    const { imports } = this.#collections;
    return databaseCall(async () => {
      const recent = await imports.countDocuments({ store: storeId, createdAt: lastDay(this.#clock) }, limited);
      if (recent >= importsPerDayMax)
        throw new ServiceError("rate_limited", reason("too_many_imports", { count: recent }));
      const document: Omit<ImportDocument, "createdAt"> = {
        _id: id,
        store: storeId,
        actor,
        fileName,
        state: "uploading",
        parts: {},
        progress: noProgress,
        fault: null,
      };
      // By the database itself, because an erasure by another replica compares it with its own beginning.
      const createdAt = this.#databaseTime();
      const inserted = [{ $replaceWith: { $mergeObjects: [{ $literal: document }, { createdAt }] } }];
      await imports.updateOne({ _id: id }, inserted, { ...limited, upsert: true });
    });
  }

  async addPart(storeId: string, importId: string, number: number, content: Uint8Array): Promise<void> {
    const { imports, importParts } = this.#collections;
    const part = { import: importId, store: storeId, createdAt: this.#now(), content: new Binary(content) };
    const isUploading = await this.#history.transact(async (session) => {
      await importParts.replaceOne({ _id: compoundKey(importId, number) }, part, { session, upsert: true });
      // Last, because the import's document is then locked only for the commit.
      const filter = { _id: importId, store: storeId, state: "uploading" as const };
      const set = { $set: { [`parts.${number}`]: content.length } };
      const { matchedCount } = await imports.updateOne(filter, set, { session });
      return { commit: matchedCount === 1, value: matchedCount === 1 };
    });
    if (isUploading) return;
    await this.find(storeId, importId);
    throw new ServiceError("failed_precondition", reason("import_already_started"));
  }

  async start(storeId: string, importId: string, state: ImportState, actor: string): Promise<void> {
    const { imports, rejectedLines } = this.#collections;
    const change = { action: "import.started", actor, details: { import: importId } } as const;
    const from: ImportState[] = state === "examining" ? ["uploading", "examined"] : ["examined"];
    const wasStarted = await this.#history.record(storeId, change, async (session) => {
      const filter = { _id: importId, store: storeId, state: { $in: from } };
      const removed = { isStopping: "$$REMOVE", abandoned: "$$REMOVE" };
      const set = { state, progress: noProgress, fault: null, ...removed, dueAt: this.#databaseTime() };
      const { matchedCount } = await imports.updateOne(filter, [{ $set: set }], { session });
      if (matchedCount === 1) await rejectedLines.deleteMany(groupsOf(importId, 0, rejectedLinesMax), { session });
      // An examination changes nothing in the store.
      return { hasChanged: matchedCount === 1 && state === "issuing", value: matchedCount === 1 };
    });
    if (wasStarted) return;
    const found = await this.find(storeId, importId);
    const isStarted = found.state === "issuing" || found.state === "finished" || state === "examining";
    throw new ServiceError("failed_precondition", reason(isStarted ? "import_already_started" : "import_not_examined"));
  }

  async stop(storeId: string, importId: string, actor: string): Promise<void> {
    const { imports } = this.#collections;
    const change = { action: "import.stopped", actor, details: { import: importId } } as const;
    const isAsked = await this.#history.record(storeId, change, async (session) => {
      const running = { _id: importId, store: storeId, state: { $in: ["examining", "issuing"] as ImportState[] } };
      const found = await imports.findOneAndUpdate(running, { $set: { isStopping: true } }, { session });
      // An examination changes nothing in the store.
      return { hasChanged: found?.state === "issuing" && found.isStopping !== true, value: found !== null };
    });
    // Throws for an import that the store does not have.
    if (!isAsked) await this.find(storeId, importId);
  }

  find(storeId: string, importId: string): Promise<Import & { readonly hasFile: boolean }> {
    return databaseCall(async () => {
      const found = await this.#collections.imports.findOne({ _id: importId, store: storeId }, limited);
      if (found === null) throw notFound("import");
      const first = { _id: compoundKey(importId, 0) };
      const hasFile = (await this.#collections.importParts.countDocuments(first, limited)) > 0;
      return { ...importOf(found), hasFile };
    });
  }

  list(storeId: string, countMax: number): Promise<Import[]> {
    return databaseCall(() =>
      this.#collections.imports
        .find({ store: storeId }, limited)
        .sort({ createdAt: -1 })
        .limit(countMax)
        .map(importOf)
        .toArray(),
    );
  }

  listRejectedLines(storeId: string, importId: string, after: number, countMax: number): Promise<RejectedLine[]> {
    return databaseCall(async () => {
      const { imports, rejectedLines } = this.#collections;
      const found = await imports.findOne({ _id: importId, store: storeId }, limited);
      if (found === null) throw notFound("import");
      // An earlier run, which a replica left unfinished, can have rejected more lines.
      const last = Math.min(after + countMax, found.progress.rejectedLines);
      const groups = await rejectedLines.find(groupsOf(importId, after, last), limited).toArray();
      return groups
        .flatMap(({ lines }) => lines.filter(({ number }) => number > after && number <= last))
        .sort((one, other) => one.number - other.number);
    });
  }

  async claim(): Promise<ImportClaim | undefined> {
    // Replicas that claim at the same moment may each claim an import of the same store, but no replica claims two of
    // them, so that capacity remains for other stores.
    const busy = await this.#leases.leasedAmong(isLeased, "store");
    const waiting = { dueAt: { $gt: new Date(0) }, store: { $nin: busy } };
    const total = { $ifNull: ["$abandoned", 0] };
    const abandoned = { $cond: [wasAbandoned, { $add: [total, 1] }, { $ifNull: ["$abandoned", "$$REMOVE"] }] };
    const claimed = await this.#leases.claim(waiting, { sort: { createdAt: 1 }, set: { abandoned } });
    if (claimed === undefined) return undefined;
    const { document, token, abandonedCount } = claimed;
    return { ...importOf(document), token, abandonedCount, abandonedTotal: document.abandoned ?? 0 };
  }

  renew(claim: WorkClaim): Promise<boolean> {
    return this.#leases.renew(claim);
  }

  release(claim: WorkClaim): Promise<boolean> {
    return this.#leases.release(claim);
  }

  readPart(importId: string, number: number): Promise<Uint8Array | undefined> {
    return databaseCall(async () => {
      const found = await this.#collections.importParts.findOne({ _id: compoundKey(importId, number) }, limited);
      return found?.content.value();
    });
  }

  save(claim: ImportClaim, progress: ImportProgress, group: RejectedLineGroup | undefined): Promise<SaveResult> {
    const { imports, rejectedLines } = this.#collections;
    const createdAt = this.#now();
    // A transaction, because a replica can freeze between the writes: meanwhile, another one could complete the import,
    // and an erasure delete its lines.
    return this.#history.transact(async (session) => {
      if (group !== undefined) {
        const stored = { import: claim.id, store: claim.storeId, createdAt, lines: group.lines };
        const _id = compoundKey(claim.id, group.number);
        await rejectedLines.replaceOne({ _id }, stored, { session, upsert: true });
      }
      const advanced = isFurther(progress, claim.progress) && { "lease.abandoned": 0 };
      const found = await imports.findOneAndUpdate(claimedBy(claim), { $set: { progress, ...advanced } }, { session });
      const saved = found?.isStopping === true ? "stopping" : "saved";
      return { commit: found !== null, value: found === null ? "lost" : saved };
    });
  }

  finish(claim: ImportClaim, progress: ImportProgress, fault: FileFault | null): Promise<boolean> {
    const state: ImportState = claim.state === "issuing" ? "finished" : "examined";
    return this.#leases.complete(claim, { state, progress, fault: { $literal: fault }, isStopping: "$$REMOVE" });
  }

  #now(): Date {
    return new Date(this.#clock.now());
  }
}

/** Returns the filter for the groups that contain the rejected lines after line number `after`, up to `last`. */
function groupsOf(importId: string, after: number, last: number) {
  const keys: string[] = [];
  for (let number = Math.floor(after / linesPerGroup); number * linesPerGroup < last; number++)
    keys.push(compoundKey(importId, number));
  return { _id: { $in: keys } };
}

function importOf(document: ImportDocument): Import {
  const { _id: id, store: storeId, parts, isStopping = false, ...rest } = document;
  const { dueAt: _due, lease: _lease, abandoned: _abandoned, ...fields } = rest;
  const fileBytes = Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
  return { id, storeId, fileBytes, isStopping, ...fields };
}
