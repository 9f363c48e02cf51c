import { randomUUID } from "node:crypto";
import type { ClientSession, Document, FindOneAndUpdateOptions, FindOptions, Sort, WithId } from "mongodb";
import type { LeasedQueue, WorkClaim } from "../../leases/leased-queue.ts";
import type { LeasedDocument } from "../documents/leased-document.ts";
import { databaseCall } from "../driver/database-error.ts";
import { addMs, type DatabaseTime, toDate, toMs } from "../driver/database-time.ts";
import { narrowed } from "../driver/narrowed-filter.ts";
import { limited, operationTimeLimitMs } from "../driver/time-limits.ts";
import { updateMatching, type Written } from "../driver/write-each.ts";

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
interface LeasedCollection<T extends LeasedDocument> extends Pick<Written, "bulkWrite"> {
  findOneAndUpdate(filter: Document, update: Document[], options: FindOneAndUpdateOptions): Promise<WithId<T> | null>;
  find(filter: Document, options: FindOptions): { toArray(): Promise<readonly WithId<T>[]> };
}

/** Which document {@link MongoLeases.claim} claims, and what it stores. */
interface ClaimOptions {
  /** Default: the document that is due first. */
  readonly sort?: Sort;
  /** Further fields of the claimed document, as expressions; those of the lease are `lease.<name>`. */
  readonly set?: Document;
}

/** A claim that is made or ended together with others. */
interface ClaimChange extends WorkClaim {
  /** Fields of the document, as expressions; those of the lease are `lease.<name>`. */
  readonly set: Document;
  /** What the document must also meet. Default: nothing */
  readonly condition?: Document;
}

/**
 * How much later than a new lease a stored one can end although no clock was set back: an operation that began later
 * can finish earlier, by at most the time limit of an operation.
 */
export const leaseSlackMs = operationTimeLimitMs;

const wakes: Document = { $ifNull: ["$wakes", 0] };

/** The work is due as it was before the claim. */
const released: Document = { dueAt: { $ifNull: [toDate("$lease.since"), "$$REMOVE"] } };

/** Returns the stages of an update that ends a lease, and sets fields of its document to the values of expressions. */
export function endOf(set: Document): Document[] {
  return [{ $set: set }, { $unset: "lease" }];
}

/** Whether a document has no lease, or one that has expired; an expression. */
export function hasEnded(databaseTime: DatabaseTime): Document {
  // The end of a missing lease is null, which sorts before numbers.
  return { $lte: [leftMs(databaseTime), 0] };
}

function leftMs(databaseTime: DatabaseTime): Document {
  return { $subtract: ["$lease.until", toMs(databaseTime())] };
}

/** Selects the document of a claim, unless its lease has ended or the document has been claimed again. */
export function claimedBy({ id, token }: WorkClaim): { readonly _id: string; readonly "lease.token": string } {
  return { _id: id, "lease.token": token };
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
    const free = { $and: [candidates, { $expr: hasEnded(this.#now) }] };
    return databaseCall(async () => {
      await this.clamp();
      const document = await this.#collection.findOneAndUpdate(free, this.#beginning(token, set), {
        ...limited,
        sort,
        returnDocument: "after",
      });
      if (document === null) return undefined;
      return { id: document._id, token, document, abandonedCount: document.lease?.abandoned ?? 0 };
    });
  }

  /**
   * Makes the claims whose documents are not leased, with one command. Does not {@link clamp} leases, and throws the
   * driver's errors.
   *
   * @param claims with a new random token, which they can share
   * @returns those that were made
   */
  claimEach<Claim extends ClaimChange>(claims: readonly Claim[], limits: typeof limited): Promise<ReadonlySet<Claim>> {
    const update = ({ id, token, set, condition }: Claim) => {
      const filter = narrowed<LeasedDocument>({ _id: id }, { ...condition, $expr: hasEnded(this.#now) });
      return { filter, update: this.#beginning(token, set) };
    };
    return this.#updateEach(claims, update, limits);
  }

  /** Returns the claims that are still stored, with their documents, in order. Throws the driver's errors. */
  async held<Claim extends WorkClaim>(
    claims: readonly Claim[],
    options: FindOptions,
  ): Promise<ReadonlyMap<Claim, WithId<T>>> {
    const found = await this.#collection.find({ _id: { $in: claims.map(({ id }) => id) } }, options).toArray();
    const documents = new Map(found.map((document) => [String(document._id), document]));
    return new Map(
      claims.flatMap((claim) => {
        const document = documents.get(claim.id);
        return document?.lease?.token === claim.token ? [[claim, document] as const] : [];
      }),
    );
  }

  async renew(claim: WorkClaim): Promise<boolean> {
    return (await this.renewAll([claim])).has(claim);
  }

  /** Renews several leases with one command, like {@link renew}. @returns the claims that are still stored */
  renewAll<Claim extends WorkClaim>(claims: readonly Claim[]): Promise<ReadonlySet<Claim>> {
    const update = (claim: Claim) => ({ filter: claimedBy(claim), update: this.#renewal() });
    return databaseCall(() => this.#updateEach(claims, update, limited));
  }

  /** Releases several claims with one command, like {@link release}. */
  async releaseAll(claims: readonly WorkClaim[]): Promise<void> {
    await databaseCall(() => this.endEach(claims.map(({ id, token }) => ({ id, token, set: released }))));
  }

  /**
   * Returns a field of the candidates that are leased, by default their ids. A lease that ends later than a new one
   * could counts as ended: the database's clock was set back, and the next claim clamps the lease.
   */
  leasedAmong(candidates: Document, field: keyof WithId<T> & string = "_id"): Promise<string[]> {
    const left = leftMs(this.#now);
    const lasts = { $and: [{ $gt: [left, 0] }, { $lte: [left, this.lifeMs + leaseSlackMs] }] };
    return databaseCall(async () => {
      const leased = { $and: [candidates, isLeased, { $expr: lasts }] };
      const found = await this.#collection.find(leased, { ...limited, projection: { [field]: 1 } }).toArray();
      return found.map((document) => String(document[field]));
    });
  }

  complete(claim: WorkClaim, set?: Document): Promise<boolean> {
    return this.end(claim, { ...set, dueAt: "$$REMOVE" });
  }

  postpone(claim: WorkClaim, afterMs: number, set?: Document): Promise<boolean> {
    return this.end(claim, { ...set, dueAt: toDate(addMs(this.#now(), afterMs)) });
  }

  release(claim: WorkClaim): Promise<boolean> {
    return this.end(claim, released);
  }

  /** Ends a lease, and sets fields of its document to the values of expressions. */
  end({ id, token }: WorkClaim, set: Document): Promise<boolean> {
    return databaseCall(async () => (await this.endEach([{ id, token, set }])) === 1);
  }

  /** Ends leases with one command, like {@link end}. Throws the driver's errors. @returns how many it ended */
  async endEach(ends: readonly ClaimChange[], session?: ClientSession): Promise<number> {
    if (ends.length === 0) return 0;
    const operations = ends.map((end) => {
      return { updateOne: { filter: { ...claimedBy(end), ...end.condition }, update: endOf(end.set) } };
    });
    const how = session === undefined ? { ...limited, ordered: false } : { session };
    return (await this.#collection.bulkWrite(operations, how)).matchedCount;
  }

  /**
   * Whether a claimed document may have become due again since its claim: it has been woken, or is due before its lease
   * ends. An expression. The count alone shows a wake-up by a clock that is ahead by more than a lease.
   */
  mayBeWoken(): Document {
    const isWoken = { $ne: [wakes, "$lease.wakes"] };
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

  /** Returns when a lease ends that is claimed or renewed now, in milliseconds since 1970; an expression. */
  nextEnd(): Document {
    return addMs(this.#now(), this.lifeMs);
  }

  /**
   * Moves the ends of leases that are too long to the latest time that is possible now. Throws the driver's errors.
   *
   * @param among a filter that an index answers, of which only matching leases are moved. Default: all leases
   */
  async clamp(among: Document = isLeased, limits = limited): Promise<void> {
    // What ends later shows that the database's clock was set back.
    const latestMs = addMs(this.#now(), this.lifeMs + leaseSlackMs);
    // There are only as many leases as workers.
    const tooLong = narrowed<LeasedDocument>(among, { $expr: { $gt: ["$lease.until", latestMs] } });
    const dueAt = toDate({ $min: [toMs("$dueAt"), latestMs] });
    await updateMatching(this.#collection, tooLong, [{ $set: { "lease.until": latestMs, dueAt } }], limits);
  }

  /** Updates the documents of claims with one command. @returns the claims that are stored then */
  async #updateEach<Claim extends WorkClaim>(
    claims: readonly Claim[],
    updateOf: (claim: Claim) => { filter: Document; update: Document[] },
    limits: typeof limited,
  ): Promise<ReadonlySet<Claim>> {
    if (claims.length === 0) return new Set();
    const operations = claims.map((claim) => ({ updateOne: updateOf(claim) }));
    const { matchedCount } = await this.#collection.bulkWrite(operations, { ...limits, ordered: false });
    if (matchedCount === claims.length) return new Set(claims);
    return new Set((await this.held(claims, { ...limits, projection: { lease: 1 } })).keys());
  }

  #beginning(token: string, set: Document | undefined): Document[] {
    const lease = {
      "lease.token": token,
      "lease.until": this.nextEnd(),
      "lease.since": { $min: [toMs("$dueAt"), "$lease.since"] },
      // A stored lease has expired, because the end of a claim removes it.
      "lease.abandoned": {
        $cond: [{ $gt: ["$lease.token", null] }, { $add: ["$lease.abandoned", 1] }, 0],
      },
      "lease.wakes": wakes,
      dueAt: toDate(this.nextEnd()),
    };
    return [{ $set: lease }, ...(set === undefined ? [] : [{ $set: set }])];
  }

  #renewal(): Document[] {
    const dueAt = { $cond: [this.mayBeWoken(), "$dueAt", toDate(this.nextEnd())] };
    return [{ $set: { "lease.until": this.nextEnd(), dueAt } }];
  }
}
