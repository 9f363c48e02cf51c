import type { Collection, Document } from "mongodb";
import type { ImportState } from "../../imports/imports.ts";
import type {
  CertificateParts,
  PendingEvent,
  PersonalData,
  RewriteTexts,
  ScanPage,
} from "../../persons/personal-data.ts";
import { encodePlace } from "../../values/page-token.ts";
import type { Collections } from "../documents/collections.ts";
import type { ImportDocument } from "../documents/import-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { afterPosition, positionAfter } from "../driver/scan-position.ts";
import { limited } from "../driver/time-limits.ts";
import { updateEach } from "../driver/write-each.ts";
import { unclaimedRequestOf } from "../outbox/outbox-requests.ts";
import { type QueuedEventsDeps, removeQueuedEvents } from "../outbox/remove-queued-events.ts";
import { findErasedCertificates, orderOf, rewriteOf, type TextScan, textScans, textsOf } from "./personal-texts.ts";

// A page is read and written in well under a second, so that an erasure does not delay other operations.
const pageSize = 1_000;
const eventPageSize = 200;

/** Implements PersonalData with MongoDB. */
export class MongoPersonalData implements PersonalData {
  readonly #queues: QueuedEventsDeps;
  readonly #collections: Collections;

  constructor(deps: QueuedEventsDeps & { readonly collections: Collections }) {
    this.#queues = deps;
    this.#collections = deps.collections;
  }

  scanCertificates(storeId: string, position: string | undefined): Promise<ScanPage<CertificateParts>> {
    const projection = { owner: 1, originalBuyer: 1, revokedReason: 1, updatedAt: 1 };
    return databaseCall(async () => {
      const found = await this.#collections.certificates
        .find({ store: storeId, ...afterPosition(["updatedAt"], position) }, { ...limited, projection })
        .sort({ updatedAt: 1 })
        .limit(pageSize)
        .toArray();
      const items = found.map(({ _id, owner, originalBuyer, revokedReason, updatedAt }) => ({
        id: _id,
        owner,
        originalBuyer,
        revokedReason,
        next: encodePlace([updatedAt]),
      }));
      return { items, next: found.length < pageSize ? undefined : items.at(-1)?.next };
    });
  }

  deleteImports(storeId: string, before: Date | undefined, apply: boolean): Promise<number> {
    const { imports, importParts, rejectedLines } = this.#collections;
    const filter = { store: storeId, ...(before && { createdAt: { $lt: before } }) };
    const running: readonly ImportState[] = ["examining", "issuing"];
    return databaseCall(async () => {
      if (apply) {
        // Selected by their import, not by their own time: an import that began earlier can add lines later.
        const found = await imports
          .find(filter, limited)
          .project<Pick<ImportDocument, "_id" | "state">>({ state: 1 })
          .toArray();
        const ids = found.map(({ _id }) => _id);
        // First, so that none receives a further part.
        const uploading = found.flatMap(({ _id, state }) => (state === "uploading" ? _id : []));
        await updateEach(imports, uploading, { state: "uploading" }, { $set: { state: "finished" } }, limited);
        const ofImports = { store: storeId, ...(before && { import: { $in: ids } }) };
        await importParts.deleteMany(ofImports, limited);
        await rejectedLines.deleteMany(ofImports, limited);
        // One that was running may have added lines since, and ended: the next pass deletes it.
        const idle = found.flatMap(({ _id, state }) => (running.includes(state) ? [] : _id));
        const deletable = { _id: { $in: idle }, state: { $nin: [...running] } };
        const { deletedCount } = await imports.deleteMany(deletable, limited);
        return ids.length - deletedCount;
      }
      return imports.countDocuments({ ...filter, state: { $in: [...running] } }, limited);
    });
  }

  scanEvents(storeId: string, position: string | undefined): Promise<ScanPage<PendingEvent>> {
    return databaseCall(async () => {
      const found = await this.#collections.outbox
        .find({ store: storeId, ...afterPosition(["at"], position) }, limited)
        .sort({ at: 1 })
        .limit(eventPageSize)
        .toArray();
      const items = found.map((entry) => ({ request: unclaimedRequestOf(entry), bytes: entry.event.value() }));
      return { items, next: positionAfter(found, eventPageSize, ({ at }) => [at]) };
    });
  }

  removeQueued(...queuePage: Parameters<PersonalData["removeQueued"]>) {
    return databaseCall(() => removeQueuedEvents(this.#queues, ...queuePage));
  }

  rewriteTexts(...[kind, storeId, { position, rewrite, apply }]: Parameters<PersonalData["rewriteTexts"]>) {
    const scan = textScans[kind];
    const filter = { $and: [scan.ofStore(storeId), afterPosition(scan.order, position)] };
    return databaseCall(async () => {
      const found = await this.#documents(scan)
        .find(filter, limited)
        .sort(Object.fromEntries(scan.order.map((field) => [field, 1])))
        .limit(pageSize)
        .toArray();
      const ids: string[] =
        kind === "deliveries" || kind === "triggers" ? found.map((document) => document.certificate) : [];
      const erased = await findErasedCertificates(this.#collections.certificates, storeId, ids);
      const count = await this.#rewriteAll(scan, found, { rewrite, apply, erased });
      return { count, next: positionAfter(found, pageSize, (last) => orderOf(last, scan)) };
    });
  }

  rewriteTextsOf(
    ...[kind, storeId, certificateIds, rewrite]: Parameters<PersonalData["rewriteTextsOf"]>
  ): Promise<void> {
    const scan = textScans[kind];
    return databaseCall(async () => {
      const filter = { store: storeId, certificate: { $in: [...certificateIds] } };
      const found = await this.#documents(scan).find(filter, limited).toArray();
      await this.#rewriteAll(scan, found, { rewrite, apply: true, erased: new Set() });
    });
  }

  async #rewriteAll(
    scan: TextScan,
    documents: readonly Document[],
    how: { rewrite: RewriteTexts; apply: boolean; erased: ReadonlySet<string> },
  ): Promise<number> {
    const writes = documents.flatMap((document) => {
      const isOfErasedCertificate = how.erased.has(document.certificate);
      const texts = how.rewrite({ texts: textsOf(document, scan), isOfErasedCertificate });
      return texts === undefined ? [] : [rewriteOf(document, texts, scan)];
    });
    if (how.apply && writes.length > 0)
      await this.#documents(scan).bulkWrite(
        writes.map(({ updateOne }) => ({ updateOne })),
        { ...limited, ordered: false },
      );
    return writes.length;
  }

  #documents({ collection }: TextScan): Collection<Document> {
    // Untyped, because text fields are found by path, which the document types cannot express.
    return this.#collections[collection] as unknown as Collection<Document>;
  }
}
