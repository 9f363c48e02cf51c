import { LRUCache } from "lru-cache";
import { type Binary, MongoError } from "mongodb";
import { Batcher } from "#shared/batching/batcher.ts";
import { ServiceError } from "#shared/errors/service-error.ts";
import { type Clock, steadyClock } from "#shared/time/clock.ts";
import { waitAtMost } from "#shared/time/wait-at-most.ts";
import type { RateLimitPolicy } from "../../admissions/admission.ts";
import type { AccessDocument } from "../documents/access-documents.ts";
import type { Collections } from "../documents/collections.ts";
import type { DatabaseTime } from "../driver/database-time.ts";
import { isConnectionLoss } from "../driver/transient-error.ts";
import { type DecidedDocument, type Decision, decisionsOn } from "./admission-decisions.ts";
import { admissionPipeline, admissionProjection, type RequestGroup } from "./admission-pipelines.ts";

/** A group whose callers wait for a limited time. */
interface WaitingGroup extends RequestGroup {
  /** Time of the monotonic clock, in milliseconds. */
  readonly deadline: number;
}

interface AdmissionBatchesOptions {
  /** Monotonic clock. */
  readonly clock?: Clock;
  /** Maximum duration of each of a batch's two commands, in milliseconds. Default 1,000. */
  readonly batchLimitMs?: number | undefined;
}

type StoreDocument = DecidedDocument & Pick<AccessDocument, "keys">;

// A batch larger than this would delay its first groups.
const groupsMax = 50;
// How long groups wait for a batch that is in progress, in milliseconds: several times its usual duration.
const batchWaitMs = 20;
// How long the groups of a batch wait for its result before each is decided alone, relative to `batchLimitMs`.
const batchTimeoutFactor = 1.5;
// If the update of a single group takes longer than this, in milliseconds, the next groups of its key are decided alone
// for a while.
const slowMs = 250;
const aloneForMs = 10_000;

/**
 * Makes the admission decisions for groups of requests; the requests of a group have the same key. A group that arrives
 * alone while no operation is in progress is decided immediately, by one command. Groups that arrive together, or
 * during an operation, are decided by one update of all their stores and one read of the decisions, each of which has
 * the id of its group. A group whose batch failed, or whose decision is not found, for example because of a later
 * decision for the same store, is decided alone. Its requests keep the places in the rate limit that the update may
 * have assigned to them.
 *
 * A store whose document is locked delays the other stores of its batch by at most one second. After a failed batch,
 * the groups of its keys are decided alone for ten seconds.
 */
export class AdmissionBatches {
  readonly #access: Collections["access"];
  readonly #policy: RateLimitPolicy;
  readonly #databaseTime: DatabaseTime;
  readonly #clock: Clock;
  readonly #batchLimitMs: number;
  readonly #batches: Batcher<WaitingGroup, readonly Decision[] | undefined>;
  readonly #aloneKeys = new LRUCache<string, true>({ max: 10_000, ttl: aloneForMs });

  constructor(
    access: Collections["access"],
    policy: RateLimitPolicy,
    databaseTime: DatabaseTime,
    { clock = steadyClock, batchLimitMs = 1_000 }: AdmissionBatchesOptions = {},
  ) {
    this.#access = access;
    this.#policy = policy;
    this.#databaseTime = databaseTime;
    this.#clock = clock;
    this.#batchLimitMs = batchLimitMs;
    this.#batches = new Batcher((groups) => this.#decideBatch(groups), {
      batchMax: groupsMax,
      slot: { limitMs: batchWaitMs, clock },
    });
  }

  /**
   * Returns one decision per request, in order.
   *
   * @param limitMs time for the decision, in milliseconds
   * @throws ServiceError `unavailable` if a batch did not decide the group and no time is left; the requests may still
   * hold places in the rate limit. Otherwise, the database's error
   */
  async decide(group: RequestGroup, limitMs: number): Promise<readonly Decision[]> {
    const waiting = { ...group, deadline: this.#clock.now() + limitMs };
    if (this.#aloneKeys.has(nameOf(group.hash))) return this.#decideAlone(waiting);
    const decisions = await this.#batches.add(waiting);
    if (decisions !== undefined) return decisions;
    // An update that starts now would outlive its callers, and could retake places in the rate limit that were already
    // returned.
    if (this.#clock.now() >= waiting.deadline)
      throw new ServiceError("unavailable", "The request could not be authorized in time. Try again shortly.");
    return this.#decideAlone(waiting);
  }

  /** @returns for each group its decisions, or undefined if it must be decided alone */
  async #decideBatch(groups: readonly WaitingGroup[]): Promise<(readonly Decision[] | undefined)[]> {
    const [first] = groups;
    if (first !== undefined && groups.length === 1) return [await this.#decideAlone(first)];
    const together = this.#decideTogether(groups).catch((error: unknown) => {
      if (error instanceof MongoError || isConnectionLoss(error)) return undefined;
      throw error;
    });
    const decided = await waitAtMost(together, batchTimeoutFactor * this.#batchLimitMs, this.#clock);
    if (decided !== undefined) return decided;
    for (const { hash } of groups) this.#aloneKeys.set(nameOf(hash), true);
    return groups.map(() => undefined);
  }

  async #decideTogether(groups: readonly WaitingGroup[]): Promise<(readonly Decision[] | undefined)[]> {
    const filter = { "keys.hash": { $in: groups.map(({ hash }) => hash) } };
    const leftMs = Math.max(...groups.map(({ deadline }) => this.#leftMs(deadline)));
    const options = { maxTimeMS: Math.min(this.#batchLimitMs, leftMs) };
    const update = admissionPipeline(this.#policy, this.#databaseTime(), fieldsOf(groups));
    const { matchedCount } = await this.#access.updateMany(filter, update, options);
    const projection = { ...admissionProjection, "keys.hash": 1 } as const;
    const read = { ...options, projection, readPreference: "primary" } as const;
    const documents = await this.#access.find<StoreDocument>(filter, read).toArray();
    // If the numbers differ, a key was created or revoked between the commands, or the read does not see a new key yet.
    // A key for which no document was found may then exist.
    const isComplete = documents.length === matchedCount;
    const ofKey = new Map(documents.flatMap((document) => document.keys.map(({ hash }) => [nameOf(hash), document])));
    return groups.map(({ hash, ids }) => {
      const document = ofKey.get(nameOf(hash)) ?? null;
      const isDecided = document === null ? isComplete : nameOf(document.decision?.group?.id) === nameOf(ids[0]);
      return isDecided ? decisionsOn(ids.length, document) : undefined;
    });
  }

  async #decideAlone({ hash, ids, deadline }: WaitingGroup): Promise<readonly Decision[]> {
    const startedAt = this.#clock.now();
    const update = admissionPipeline(this.#policy, this.#databaseTime(), [{ hash, ids }]);
    const maxTimeMS = this.#leftMs(deadline);
    const options = { returnDocument: "after", projection: admissionProjection, maxTimeMS } as const;
    try {
      const updated = await this.#access.findOneAndUpdate({ "keys.hash": hash }, update, options);
      // The driver's type lacks the fields that the projection computes.
      return decisionsOn(ids.length, updated as DecidedDocument | null);
    } finally {
      if (this.#clock.now() - startedAt > slowMs) this.#aloneKeys.set(nameOf(hash), true);
    }
  }

  // At least 1: MongoDB interprets 0 as "no limit".
  #leftMs(deadline: number): number {
    return Math.max(1, Math.round(deadline - this.#clock.now()));
  }
}

// Drops the deadlines, which do not belong in the update.
function fieldsOf(groups: readonly RequestGroup[]): RequestGroup[] {
  return groups.map(({ hash, ids }) => ({ hash, ids }));
}

function nameOf(bytes: Binary | undefined): string {
  return bytes?.toString("base64") ?? "";
}
