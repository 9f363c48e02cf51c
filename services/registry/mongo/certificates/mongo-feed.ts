import type { CertificateFeed, FeedQuery, RenderContext } from "../../certificates/list-certificates.ts";
import { type CertificateRow, rowOfCertificate } from "../../certificates/page-json.ts";
import type { Collections } from "../documents/collections.ts";
import { certificateOf } from "../documents/convert-documents.ts";
import type { StoreDocument } from "../documents/documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import type { DatabaseTime } from "../driver/database-time.ts";
import type { ReadSnapshot } from "../driver/read-snapshot.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";
import { feedCursor, feedQuery } from "./feed-query.ts";
import { readRows } from "./read-rows.ts";
import { settleBudgetMs, settleExpired } from "./settle-expired.ts";

/** Reads pages of the certificate list from MongoDB, each from one snapshot. */
export class MongoFeed implements CertificateFeed {
  readonly #collections: Pick<Collections, "stores" | "certificates">;
  readonly #readSnapshot: ReadSnapshot;
  readonly #databaseTime: DatabaseTime;
  readonly #settleBudgetMs: number;

  /** @param budgetMs as in {@link settleExpired}, which runs before a page of active or expired certificates is read */
  constructor(
    collections: Pick<Collections, "stores" | "certificates">,
    readSnapshot: ReadSnapshot,
    databaseTime: DatabaseTime = () => "$$NOW",
    budgetMs = settleBudgetMs,
  ) {
    this.#collections = collections;
    this.#readSnapshot = readSnapshot;
    this.#databaseTime = databaseTime;
    this.#settleBudgetMs = budgetMs;
  }

  readRenderContext(storeId: string, timeLimitMs: number): Promise<RenderContext | undefined> {
    return databaseCall(async () => {
      const [document] = await this.#collections.stores
        .aggregate<Pick<StoreDocument, "settings"> & { readonly now: Date }>(
          [{ $match: { _id: storeId } }, { $project: { settings: 1, now: this.#databaseTime() } }],
          { maxTimeMS: Math.min(timeLimitMs, operationTimeLimitMs) },
        )
        .toArray();
      return document && { settings: document.settings, now: document.now };
    });
  }

  readRows(storeId: string, { filter, countMax, now, remainingMs }: FeedQuery): Promise<CertificateRow[]> {
    const { certificates } = this.#collections;
    const limitMs = () => Math.min(remainingMs(), operationTimeLimitMs);
    return databaseCall(async () => {
      const isByExpiry = filter.status === "active" || filter.status === "expired";
      const isSettled = !isByExpiry || (await settleExpired(certificates, storeId, now, limitMs, this.#settleBudgetMs));
      const query = feedQuery(storeId, filter, countMax, now, isSettled);
      return this.#readSnapshot(async (snapshot) => {
        const rows = await readRows(certificates, query, snapshot, limitMs());
        if (rows !== undefined) return rows;
        // The whole page is read again: a second read can use a later snapshot, so reading only the certificates
        // without stored JSON could mix two states.
        const documents = await feedCursor(certificates, query, { ...snapshot, maxTimeMS: limitMs() }).toArray();
        return documents.map((document) => rowOfCertificate(certificateOf(document)));
      }, limitMs);
    });
  }
}
