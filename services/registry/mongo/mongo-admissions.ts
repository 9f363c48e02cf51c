import { Binary, type Document } from "mongodb";
import {
  type AdmissionDecision,
  type Admissions,
  type RateLimitPolicy,
  rateLimitState,
} from "../stores/admission.ts";
import { isValidKey } from "./api-key-expressions.ts";
import type { Collections } from "./collections.ts";
import { databaseError } from "./database-error.ts";
import { type DatabaseTime, msBetween } from "./database-time.ts";

const timeLimitMs = 4_000;

type Now = ReturnType<DatabaseTime>;

/**
 * Admissions in one database operation: it finds the key, sees whether it is still valid, looks at the plan, drops what has
 * left the window and, if there is room, takes a place. All by the database's clock and on one document, so that the limit
 * is exact over any number of replicas.
 */
export class MongoAdmissions implements Admissions {
  readonly #access: Collections["access"];
  readonly #policy: RateLimitPolicy;
  readonly #databaseTime: DatabaseTime;

  constructor(
    access: Collections["access"],
    policy: RateLimitPolicy,
    databaseTime: DatabaseTime = () => "$$NOW",
  ) {
    this.#access = access;
    this.#policy = policy;
    this.#databaseTime = databaseTime;
  }

  async admit(keyHash: Uint8Array): Promise<AdmissionDecision> {
    const decided = await this.#decide(keyHash);
    if (decided === null) return { admission: "unknown_key" };
    const { _id: storeId, plan, admitted, decision } = decided;
    if (decision === null) throw new Error("the decision is missing");
    if (decision.keyIsValid !== true) return { admission: "unknown_key" };
    const rateLimit = rateLimitState(this.#policy, admitted, decision.at);
    if (plan !== "pro") return { admission: "plan_required", storeId, rateLimit };
    return { admission: decision.admitted ? "admitted" : "rate_limited", storeId, rateLimit };
  }

  async #decide(keyHash: Uint8Array) {
    const hash = new Binary(keyHash);
    try {
      return await this.#access.findOneAndUpdate(
        { "keys.hash": hash },
        admissionPipeline(this.#policy, hash, this.#databaseTime()),
        {
          returnDocument: "after",
          projection: { plan: 1, admitted: 1, decision: 1 },
          maxTimeMS: timeLimitMs,
        },
      );
    } catch (error) {
      throw databaseError(error);
    }
  }
}

// A place is free again exactly one window after it was taken: half-open, so that no window ever holds one too many.
function admissionPipeline(policy: RateLimitPolicy, hash: Binary, now: Now): Document[] {
  const at = "$decision.at";
  const isInWindow = { $lt: [msBetween("$$taken", at), policy.windowMs] };
  const hasRoom = { $lt: [{ $size: "$admitted" }, policy.limit] };
  const isAdmitted = { $and: ["$decision.keyIsValid", { $eq: ["$plan", "pro"] }, hasRoom] };
  return [
    { $set: { decision: { at: noEarlierThanTheLast(now), keyIsValid: hasValidKey(hash, now) } } },
    { $set: { admitted: { $filter: { input: "$admitted", as: "taken", cond: isInWindow } } } },
    { $set: { decision: { admitted: isAdmitted } } },
    {
      $set: {
        admitted: { $cond: ["$decision.admitted", { $concatArrays: ["$admitted", [at]] }, "$admitted"] },
      },
    },
  ];
}

// Not a part of the query: not every server that speaks MongoDB uses an index for a query with an expression in it.
function hasValidKey(hash: Binary, now: Now): Document {
  const isIt = { $and: [{ $eq: ["$$key.hash", hash] }, isValidKey("$$key", now)] };
  return { $anyElementTrue: [{ $map: { input: "$keys", as: "key", in: isIt } }] };
}

// The database's time is that of an operation's beginning, and operations on one document can end in another order. What
// one with a later time has dropped from the window would still be in that of the earlier one. A last decision
// that is farther ahead than any operation lasts was made by a clock that has been set back since.
function noEarlierThanTheLast(now: Now): Document {
  const last = "$decision.at";
  const aheadMs = msBetween(now, last);
  const isAhead = { $and: [{ $gt: [aheadMs, 0] }, { $lte: [aheadMs, timeLimitMs] }] };
  return { $cond: [isAhead, last, now] };
}
