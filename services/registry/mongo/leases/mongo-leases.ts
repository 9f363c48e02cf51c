import { randomUUID } from "node:crypto";
import type { ClientSession, Document, FindOneAndUpdateOptions, Sort, UpdateOptions, WithId } from "mongodb";
import type { LeasedQueue, WorkClaim } from "../../leases/leased-queue.ts";
import type { LeasedDocument } from "../documents/leased-document.ts";
import { databaseCall } from "../driver/database-error.ts";
import { addMs, type DatabaseTime, toDate, toMs } from "../driver/database-time.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";

/** A claim, and the document as it is stored now. */
export interface DocumentClaim<T extends LeasedDocument> extends WorkClaim {
  readonly document: WithId<T>;
}

/** The commands that {@link MongoLeases} sends to a collection. */
export interface LeasedCollection<T extends LeasedDocument> {
  findOneAndUpdate(filter: Document, update: Document[], options: FindOneAndUpdateOptions): Promise<WithId<T> | null>;
  updateOne(filter: Document, update: Document[], options: UpdateOptions): Promise<{ readonly matchedCount: number }>;
  updateMany(filter: Document, update: Document[], options: UpdateOptions): Promise<unknown>;
}

/** Which document {@link MongoLeases.claim} claims, and what it stores. */
export interface ClaimOptions {
  /** Default: the document that is due first. */
  readonly sort?: Sort;
  /** Further fields of the claimed document, as expressions; those of the lease are `lease.<name>`. */
  readonly set?: Document;
}

/**
 * How much later than a new lease a stored one can end although no clock was set back: an operation that began later
 * can finish earlier, by at most the time limit of an operation.
 */
export const leaseSlackMs = operationTimeLimitMs;

const options = { maxTimeMS: operationTimeLimitMs };

/** Selects the document of a claim, unless its lease has ended or the document has been claimed again. */
export function claimedBy({ id, token }: WorkClaim): { readonly _id: string; readonly "lease.token": string } {
  return { _id: id, "lease.token": token };
}

/** Selects the documents that a worker has claimed, also those whose lease has expired. */
export const isLeased = { "lease.until": { $gt: 0 } } as const;

/** Index that {@link MongoLeases} needs to find the leased documents. */
export const leasedIndex = { name: "leased", key: { "lease.until": 1 }, sparse: true } as const;

/**
 * The one implementation of leases: documents of a collection that one worker at a time claims. The database computes
 * and compares all times.
 *
 * A claim makes the document due when the lease ends, so that abandoned work is due from then. If something makes the
 * document due earlier in the meantime, it stays so: {@link mayBeWoken}.
 *
 * A lease that ends later than a new one could shows that the database's clock was set back. The next claim moves its
 * end to the latest time that is possible now, so that no set-back makes a lease last until the clock has caught up;
 * its holder may still rely on it until then.
 */
export class MongoLeases<T extends LeasedDocument> implements Omit<LeasedQueue, "claim"> {
  readonly #collection: LeasedCollection<T>;
  readonly lifeMs: number;
  readonly #now: DatabaseTime;

  /** @param lifeMs how long a lease lasts after it is claimed or renewed, in milliseconds */
  constructor(collection: LeasedCollection<T>, lifeMs: number, databaseTime: DatabaseTime = () => "$$NOW") {
    this.#collection = collection;
    this.lifeMs = lifeMs;
    this.#now = databaseTime;
  }

  /**
   * Claims one of the candidates that are not leased.
   *
   * @param candidates a filter that an index answers in the order of `sort`
   */
  claim(candidates: Document, { sort = { dueAt: 1 }, set }: ClaimOptions = {}): Promise<DocumentClaim<T> | undefined> {
    const token = randomUUID();
    const since = { $min: [toMs("$dueAt"), "$lease.since"] };
    const lease = {
      "lease.token": token,
      "lease.until": this.#end(),
      "lease.since": since,
      dueAt: toDate(this.#end()),
    };
    const free = { $and: [candidates, { $expr: this.hasEnded() }] };
    return databaseCall(async () => {
      await this.#clamp();
      const claimed = [{ $set: lease }, ...(set === undefined ? [] : [{ $set: set }])];
      const document = await this.#collection.findOneAndUpdate(free, claimed, {
        ...options,
        sort,
        returnDocument: "after",
      });
      return document === null ? undefined : { id: document._id, token, document };
    });
  }

  renew(claim: WorkClaim): Promise<boolean> {
    const dueAt = { $cond: [this.mayBeWoken(), "$dueAt", toDate(this.#end())] };
    return this.#update(claim, [{ $set: { "lease.until": this.#end(), dueAt } }]);
  }

  complete(claim: WorkClaim, set?: Document, session?: ClientSession): Promise<boolean> {
    return this.end(claim, { ...set, dueAt: "$$REMOVE" }, session);
  }

  postpone(claim: WorkClaim, afterMs: number, set?: Document, session?: ClientSession): Promise<boolean> {
    return this.end(claim, { ...set, dueAt: toDate(addMs(this.#now(), afterMs)) }, session);
  }

  release(claim: WorkClaim): Promise<boolean> {
    return this.end(claim, { dueAt: { $ifNull: [toDate("$lease.since"), "$$REMOVE"] } });
  }

  /** Ends a lease, and sets fields of its document to the values of expressions. */
  end(claim: WorkClaim, set: Document, session?: ClientSession): Promise<boolean> {
    return this.#update(claim, [{ $set: set }, { $unset: "lease" }], session);
  }

  /** Whether a document that is due has no lease, or one that has expired; an expression. */
  hasEnded(): Document {
    // The end of a missing lease is null, which sorts before numbers.
    return { $lte: [this.#leftMs(), 0] };
  }

  /**
   * Whether a claimed document may have become due again since its claim: it is due before its lease ends, or the lease
   * has expired, after which nothing makes the document due earlier. An expression.
   */
  mayBeWoken(): Document {
    return { $or: [{ $lt: [toMs("$dueAt"), "$lease.until"] }, this.hasEnded()] };
  }

  async #clamp(): Promise<void> {
    // What ends later shows that the database's clock was set back.
    const latestMs = addMs(this.#now(), this.lifeMs + leaseSlackMs);
    // There are only as many leases as workers.
    const tooLong = { ...isLeased, $expr: { $gt: ["$lease.until", latestMs] } };
    const dueAt = toDate({ $min: [toMs("$dueAt"), latestMs] });
    await this.#collection.updateMany(tooLong, [{ $set: { "lease.until": latestMs, dueAt } }], options);
  }

  #update(claim: WorkClaim, pipeline: Document[], session?: ClientSession): Promise<boolean> {
    const how = session === undefined ? options : { session };
    return databaseCall(
      async () => (await this.#collection.updateOne(claimedBy(claim), pipeline, how)).matchedCount === 1,
    );
  }

  #end(): Document {
    return addMs(this.#now(), this.lifeMs);
  }

  #leftMs(): Document {
    return { $subtract: ["$lease.until", toMs(this.#now())] };
  }
}
