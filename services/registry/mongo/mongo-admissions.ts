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
    const rateLimit = rateLimitState(this.#policy, admitted, decision.at);
    if (plan !== "pro") return { admission: "plan_required", storeId, rateLimit };
    return { admission: decision.admitted ? "admitted" : "rate_limited", storeId, rateLimit };
  }

  async #decide(keyHash: Uint8Array) {
    const now = this.#databaseTime();
    try {
      return await this.#access.findOneAndUpdate(
        hasValidKey(new Binary(keyHash), now),
        admissionPipeline(this.#policy, now),
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

// The index finds the key; the expression sees whether it is valid.
function hasValidKey(hash: Binary, now: Now): Document {
  const isIt = { $and: [{ $eq: ["$$key.hash", hash] }, isValidKey("$$key", now)] };
  return {
    "keys.hash": hash,
    $expr: { $anyElementTrue: [{ $map: { input: "$keys", as: "key", in: isIt } }] },
  };
}

// A place is free again exactly one window after it was taken: half-open, so that no window ever holds one too many.
function admissionPipeline(policy: RateLimitPolicy, now: Now): Document[] {
  const at = "$decision.at";
  const isInWindow = { $lt: [msBetween("$$taken", at), policy.windowMs] };
  const hasRoom = { $and: [{ $eq: ["$plan", "pro"] }, { $lt: [{ $size: "$admitted" }, policy.limit] }] };
  return [
    { $set: { decision: { at: noEarlierThanTheLast(now) } } },
    { $set: { admitted: { $filter: { input: "$admitted", as: "taken", cond: isInWindow } } } },
    { $set: { decision: { admitted: hasRoom } } },
    {
      $set: {
        admitted: { $cond: ["$decision.admitted", { $concatArrays: ["$admitted", [at]] }, "$admitted"] },
      },
    },
  ];
}

// The database's time is that of an operation's beginning, and operations on one document can end in another order. What
// one with a later time has dropped from the window would still be in that of the earlier one. A last decision
// that is farther ahead than any operation lasts was made by a clock that has been set back since.
function noEarlierThanTheLast(now: Now): Document {
  const last = "$decision.at";
  return { $cond: [{ $lte: [msBetween(now, last), timeLimitMs] }, { $max: [now, last] }, now] };
}
