import { randomUUID } from "node:crypto";
import type {
  ClientSession,
  Document,
  FindOneAndUpdateOptions,
  FindOptions,
  Sort,
  UpdateOptions,
  WithId,
} from "mongodb";
import type { LeasedQueue, WorkClaim } from "../../leases/leased-queue.ts";
import type { LeasedDocument } from "../documents/leased-document.ts";
import { databaseCall } from "../driver/database-error.ts";
import { addMs, type DatabaseTime, toDate, toMs } from "../driver/database-time.ts";
import { limited, operationTimeLimitMs } from "../driver/time-limits.ts";
import { isTransient } from "../driver/transient-error.ts";

/** A claim, and the document as it is stored now. */
export interface DocumentClaim<T extends LeasedDocument> extends WorkClaim {
  /**
   * How many claims of this work have expired, one after the other: their workers died or froze, perhaps because of the
   * work. Work that is completed or released starts at 0 again.
   */
  readonly abandonedCount: number;
  readonly document: WithId<T>;
}

/** The commands that {@link MongoLeases} sends to a collection. */
interface LeasedCollection<T extends LeasedDocument> {
  findOneAndUpdate(filter: Document, update: Document[], options: FindOneAndUpdateOptions): Promise<WithId<T> | null>;
  updateOne(filter: Document, update: Document[], options: UpdateOptions): Promise<{ readonly matchedCount: number }>;
  updateMany(filter: Document, update: Document[], options: UpdateOptions): Promise<{ readonly matchedCount: number }>;
  find(filter: Document, options: FindOptions): { toArray(): Promise<readonly WithId<T>[]> };
}

/** Which document {@link MongoLeases.claim} claims, and what it stores. */
interface ClaimOptions {
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

const wakes: Document = { $ifNull: ["$wakes", 0] };

/** The work is due as it was before the claim. */
const released: Document = { dueAt: { $ifNull: [toDate("$lease.since"), "$$REMOVE"] } };

function endOf(set: Document): Document[] {
  return [{ $set: set }, { $unset: "lease" }];
}

/** Selects the document of a claim, unless its lease has ended or the document has been claimed again. */
export function claimedBy({ id, token }: WorkClaim): { readonly _id: string; readonly "lease.token": string } {
  return { _id: id, "lease.token": token };
}

/** Selects the documents of several claims like {@link claimedBy}. Tokens are random: none is that of another claim. */
function claimedByAny(claims: readonly WorkClaim[]): Document {
  return { _id: { $in: claims.map(({ id }) => id) }, "lease.token": { $in: claims.map(({ token }) => token) } };
}

/** Selects the documents that a worker has claimed, also those whose lease has expired. */
export const isLeased = { "lease.until": { $gt: 0 } } as const;

/** Whether the lease before the claim has expired; an expression for {@link ClaimOptions.set}. */
export const wasAbandoned = { $gt: ["$lease.abandoned", 0] } as const;

/** Index that {@link MongoLeases} needs to find the leased documents. */
export const leasedIndex = { name: "leased", key: { "lease.until": 1 }, sparse: true } as const;

/**
 * The one implementation of leases: documents of a collection that one worker at a time claims. The database computes
 * and compares all times.
 *
 * A claim makes the document due when the lease ends, so that abandoned work is due from then. If something wakes the
 * document in the meantime, which makes it due and counts in `wakes`, it stays due: {@link mayBeWoken}.
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
      // A stored lease has expired, because the end of a claim removes it.
      "lease.abandoned": {
        $cond: [{ $gt: ["$lease.token", null] }, { $add: [{ $ifNull: ["$lease.abandoned", 0] }, 1] }, 0],
      },
      "lease.wakes": wakes,
      dueAt: toDate(this.#end()),
    };
    const free = { $and: [candidates, { $expr: this.hasEnded() }] };
    return databaseCall(async () => {
      await this.#clamp();
      const claimed = [{ $set: lease }, ...(set === undefined ? [] : [{ $set: set }])];
      const document = await this.#collection.findOneAndUpdate(free, claimed, {
        ...limited,
        sort,
        returnDocument: "after",
      });
      if (document === null) return undefined;
      return { id: document._id, token, document, abandonedCount: document.lease?.abandoned ?? 0 };
    });
  }

  renew(claim: WorkClaim): Promise<boolean> {
    return this.#update(claim, this.#renewal());
  }

  /** Renews several leases with one command, like {@link renew}. @returns the claims that are still stored */
  renewAll<Claim extends WorkClaim>(claims: readonly Claim[]): Promise<ReadonlySet<Claim>> {
    return databaseCall(async () => {
      const renew = () => this.#collection.updateMany(claimedByAny(claims), this.#renewal(), limited);
      // The driver does not repeat an `updateMany`, for example after an election.
      const { matchedCount } = await renew().catch((error: unknown) => {
        if (!isTransient(error)) throw error;
        return renew();
      });
      if (matchedCount === claims.length) return new Set(claims);
      const found = await this.#collection.find(claimedByAny(claims), limited).toArray();
      const held = new Set(found.map(({ _id }) => String(_id)));
      return new Set(claims.filter(({ id }) => held.has(id)));
    });
  }

  /** Releases several claims with one command, like {@link release}. */
  async releaseAll(claims: readonly WorkClaim[]): Promise<void> {
    await databaseCall(() => this.#collection.updateMany(claimedByAny(claims), endOf(released), limited));
  }

  /**
   * Returns the ids of the candidates that are leased. A lease that ends later than a new one could counts as ended:
   * the database's clock was set back, and the next claim clamps the lease.
   */
  leasedAmong(candidates: Document): Promise<string[]> {
    const lasts = { $and: [{ $gt: [this.#leftMs(), 0] }, { $lte: [this.#leftMs(), this.lifeMs + leaseSlackMs] }] };
    return databaseCall(async () => {
      const leased = { $and: [candidates, isLeased, { $expr: lasts }] };
      const found = await this.#collection.find(leased, { ...limited, projection: { _id: 1 } }).toArray();
      return found.map(({ _id }) => String(_id));
    });
  }

  complete(claim: WorkClaim, set?: Document, session?: ClientSession): Promise<boolean> {
    return this.end(claim, { ...set, dueAt: "$$REMOVE" }, session);
  }

  postpone(claim: WorkClaim, afterMs: number, set?: Document, session?: ClientSession): Promise<boolean> {
    return this.end(claim, { ...set, dueAt: toDate(addMs(this.#now(), afterMs)) }, session);
  }

  release(claim: WorkClaim): Promise<boolean> {
    return this.end(claim, released);
  }

  /** Ends a lease, and sets fields of its document to the values of expressions. */
  end(claim: WorkClaim, set: Document, session?: ClientSession): Promise<boolean> {
    return this.#update(claim, endOf(set), session);
  }

  /** Whether a document that is due has no lease, or one that has expired; an expression. */
  hasEnded(): Document {
    // The end of a missing lease is null, which sorts before numbers.
    return { $lte: [this.#leftMs(), 0] };
  }

  /**
   * Whether a claimed document may have become due again since its claim: it has been woken, or is due before its lease
   * ends. An expression. The count alone shows a wake-up by a clock that is ahead by more than a lease.
   */
  mayBeWoken(): Document {
    const isWoken = { $ne: [wakes, { $ifNull: ["$lease.wakes", 0] }] };
    return { $or: [isWoken, { $lt: [toMs("$dueAt"), "$lease.until"] }] };
  }

  /**
   * Selects the leases that {@link claim} would clamp, for a caller that calls it only if it has found something.
   *
   * @param nowMs the database's time as the caller knows it, in milliseconds since 1970
   */
  isTooLong(nowMs: number): Document {
    return { "lease.until": { $gt: nowMs + this.lifeMs + leaseSlackMs } };
  }

  async #clamp(): Promise<void> {
    // What ends later shows that the database's clock was set back.
    const latestMs = addMs(this.#now(), this.lifeMs + leaseSlackMs);
    // There are only as many leases as workers.
    const tooLong = { ...isLeased, $expr: { $gt: ["$lease.until", latestMs] } };
    const dueAt = toDate({ $min: [toMs("$dueAt"), latestMs] });
    await this.#collection.updateMany(tooLong, [{ $set: { "lease.until": latestMs, dueAt } }], limited);
  }

  #update(claim: WorkClaim, pipeline: Document[], session?: ClientSession): Promise<boolean> {
    const how = session === undefined ? limited : { session };
    return databaseCall(
      async () => (await this.#collection.updateOne(claimedBy(claim), pipeline, how)).matchedCount === 1,
    );
  }

  #renewal(): Document[] {
    const dueAt = { $cond: [this.mayBeWoken(), "$dueAt", toDate(this.#end())] };
    return [{ $set: { "lease.until": this.#end(), dueAt } }];
  }

  #end(): Document {
    return addMs(this.#now(), this.lifeMs);
  }

  #leftMs(): Document {
    return { $subtract: ["$lease.until", toMs(this.#now())] };
  }
}
