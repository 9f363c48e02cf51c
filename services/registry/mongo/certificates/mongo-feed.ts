import type { FeedQuery, RenderContext, SearchableFeed, SearchPlan } from "../../certificates/list-certificates.ts";
import { type CertificateRow, rowOfCertificate } from "../../certificates/page-json.ts";
import type { CertificateSearch } from "../../certificates/parse-search.ts";
import type { Collections } from "../documents/collections.ts";
import { certificateOf } from "../documents/convert-documents.ts";
import type { StoreDocument } from "../documents/documents.ts";
import { BsonCursor } from "../driver/bson-cursor.ts";
import { databaseCall } from "../driver/database-error.ts";
import type { DatabaseTime } from "../driver/database-time.ts";
import type { ReadSnapshot, SnapshotOptions } from "../driver/read-snapshot.ts";
import { atMost, operationTimeLimitMs } from "../driver/time-limits.ts";
import { rowFields, rowOf } from "./certificate-rows.ts";
import { type FeedQueryFields, feedCursor, feedQuery } from "./feed-query.ts";
import { planSearch } from "./plan-search.ts";
import { settleBudgetMs, settleExpired } from "./settle-expired.ts";

/** Reads pages of the certificate list from MongoDB, each from one snapshot. */
export class MongoFeed implements SearchableFeed {
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
          atMost(timeLimitMs),
        )
        .toArray();
      return document && { settings: document.settings, now: document.now };
    });
  }

  planSearch(
    storeId: string,
    search: CertificateSearch,
    page: Pick<FeedQuery, "filter" | "remainingMs">,
  ): Promise<SearchPlan> {
    return databaseCall(() => planSearch(this.#collections.certificates, storeId, search, page));
  }

  readRows(storeId: string, { filter, plan, countMax, now, remainingMs }: FeedQuery): Promise<CertificateRow[]> {
    const { certificates } = this.#collections;
    const limitMs = () => Math.min(remainingMs(), operationTimeLimitMs);
    return databaseCall(async () => {
      const isByExpiry = filter.status === "active" || filter.status === "expired";
      const isSettled = !isByExpiry || (await settleExpired(certificates, storeId, now, limitMs, this.#settleBudgetMs));
      const query = feedQuery(storeId, filter, countMax, now, { isSettled, plan });
      return this.#readSnapshot(async (snapshot) => {
        const rows = await readRows(certificates, query, snapshot, limitMs());
        if (rows !== undefined) return rows;
        // The whole page is read again: a second read can use a later snapshot, so reading only the certificates
        // without current JSON could mix two states.
        const documents = await feedCursor(certificates, query, { ...snapshot, maxTimeMS: limitMs() }).toArray();
        return documents.map((document) => rowOfCertificate(certificateOf(document)));
      }, limitMs);
    });
  }
}

const replyField = Buffer.from("firstBatch");

/**
 * Reads the rows of a page with a bare command, whose reply the driver does not decode: 270 µs of CPU time for 51
 * certificates instead of 400 with the driver's cursor. The driver does not retry a bare command; `findSnapshotReader`
 * does.
 *
 * @returns undefined if a certificate has no current JSON
 */
export async function readRows(
  { db, collectionName }: Collections["certificates"],
  query: FeedQueryFields,
  snapshot: SnapshotOptions,
  maxTimeMS: number,
): Promise<CertificateRow[] | undefined> {
  const { session, ...readConcern } = { session: undefined, ...snapshot };
  const command = {
    find: collectionName,
    ...query,
    projection: rowFields,
    maxTimeMS,
    ...readConcern,
    // The default first batch has at most 101 documents.
    batchSize: query.limit,
    singleBatch: true,
  };
  const reply = await db.command(command, { raw: true, ...(session && { session }) });
  const rows: CertificateRow[] = [];
  for (const document of documentsOf(reply.cursor)) {
    const row = rowOf(document);
    if (row === undefined) return undefined;
    rows.push(row);
  }
  return rows;
}

/** Yields a cursor over the fields of each document in the reply to a `find` command. */
function* documentsOf(reply: unknown): Generator<BsonCursor> {
  if (!(reply instanceof Uint8Array)) throw new Error("the reply to a find command has no cursor");
  const fields = new BsonCursor(Buffer.from(reply.buffer, reply.byteOffset, reply.byteLength), 0);
  while (fields.next()) {
    if (!fields.isNamed(replyField)) continue;
    const documents = fields.elements();
    while (documents?.next()) {
      const document = documents.elements();
      if (document !== undefined) yield document;
    }
  }
}
