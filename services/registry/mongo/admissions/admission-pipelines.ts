import type { Binary, Document } from "mongodb";
import type { RateLimitPolicy } from "../../admissions/admission.ts";
import { addMs, type DatabaseTime, earlier, later, toMs } from "../driver/database-time.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";
import { isValidKey, validKeys } from "./api-key-expressions.ts";

type Now = ReturnType<DatabaseTime>;

/** Projects the window to the fields that are reported with a decision. */
const windowSummary = { count: countOf("$admitted"), oldest: timeAt(0) } as const;

/** Projection of the fields that an admission returns. */
export const admissionProjection = { plan: 1, settings: 1, epoch: 1, decision: 1, ...windowSummary } as const;

/** Requests with the same key, in the order in which they are decided. */
export interface RequestGroup {
  /** SHA-256 of the API key. */
  readonly hash: Binary;
  /** Ids of the requests' places; at least one. The first also identifies the decision on the group. */
  readonly ids: readonly Binary[];
}

/**
 * Returns the update that admits or refuses groups of requests: for each store that owns one of the keys, if the key is
 * valid and the plan is Pro, it admits as many requests with the key as the rate limit permits, in order, and appends
 * them to the window. If several groups belong to one store, only the first of them is decided. A request that already
 * holds a place keeps it and takes no other, so the update may be repeated. It removes the store's keys whose grace
 * period has ended.
 */
export function admissionPipeline(policy: RateLimitPolicy, now: Now, groups: readonly RequestGroup[]): Document[] {
  const at = "$decision.at";
  const hashes = { $map: { input: "$keys", as: "key", in: "$$key.hash" } };
  const isOfStore = { $in: ["$$group.hash", "$$hashes"] };
  const groupsOfStore = { $filter: { input: groups, as: "group", cond: isOfStore } };
  const group = { $arrayElemAt: [{ $let: { vars: { hashes }, in: groupsOfStore } }, 0] };
  const id = { $arrayElemAt: ["$group.ids", 0] };
  const isHeld = { $anyElementTrue: { $map: { input: "$admitted", as: "held", in: { $in: ["$$id", "$$held.ids"] } } } };
  const others = { $filter: { input: "$group.ids", as: "id", cond: { $not: [isHeld] } } };
  const mayAdmit = { $and: ["$decision.group.keyIsValid", { $eq: ["$plan", "pro"] }] };
  const free = { $max: [0, { $subtract: [policy.limit, countOf("$admitted")] }] };
  const newIds = { $slice: ["$group.others", { $cond: [mayAdmit, free, 0] }] };
  const holdsPlace = { $or: [{ $not: [{ $in: ["$$id", "$group.others"] }] }, { $in: ["$$id", "$group.new"] }] };
  const newlyAdmitted = { $cond: [{ $eq: ["$group.new", []] }, [], [{ at, ids: "$group.new" }]] };
  return [
    { $set: { group } },
    {
      $set: {
        decision: { at: notBeforeLastDecision(now), group: { id, keyIsValid: hasValidKey(now), plan: "$plan" } },
      },
    },
    { $set: { admitted: inWindow(policy, at) } },
    // Without the keys that have ended, which would work again after the database's clock was set back.
    { $set: { admitted: notAfter(at), keys: validKeys(now), "group.others": others } },
    { $set: { "group.new": newIds } },
    {
      $set: {
        "decision.group.admitted": { $map: { input: "$group.ids", as: "id", in: holdsPlace } },
        admitted: { $concatArrays: ["$admitted", newlyAdmitted] },
      },
    },
    { $unset: "group" },
  ];
}

/**
 * Returns the update that removes requests from the window. An id that is unknown, or whose place is already returned,
 * changes nothing.
 */
export function returnPipeline(ids: readonly Binary[]): Document[] {
  const kept = { $filter: { input: "$$this.ids", as: "id", cond: { $not: [{ $in: ["$$id", ids] }] } } };
  const returned = { $map: { input: "$admitted", in: { at: "$$this.at", ids: kept } } };
  return [{ $set: { admitted: { $filter: { input: returned, cond: { $ne: ["$$this.ids", []] } } } } }];
}

/**
 * Returns the aggregation that reads the inputs of an admission decision for each store that owns one of these keys:
 * the plan, the time of the decision, the admissions in the window at that time, and which of these keys are valid
 * (`validHashes`).
 */
export function windowPipeline(policy: RateLimitPolicy, hashes: readonly Binary[], now: Now): Document[] {
  const isValid = { $and: [{ $in: ["$$key.hash", hashes] }, isValidKey("$$key", now)] };
  const matching = { $filter: { input: "$keys", as: "key", cond: isValid } };
  const validHashes = { $map: { input: matching, as: "key", in: "$$key.hash" } };
  return [
    { $match: { "keys.hash": { $in: hashes } } },
    { $project: { plan: 1, admitted: 1, validHashes, at: notBeforeLastDecision(now) } },
    // Ignores admissions in the future: only the update can move them to the time of its decision. If they counted
    // here, the window could appear full, and a request that reads a full window never reaches the update.
    {
      $set: {
        admitted: { $filter: { input: inWindow(policy, "$at"), cond: { $lte: [toMs("$$this.at"), toMs("$at")] } } },
      },
    },
    { $project: { plan: 1, validHashes: 1, at: 1, ...windowSummary } },
  ];
}

/** Returns an expression for the number of requests in the log. */
function countOf(admitted: `$${string}`): Document {
  return { $sum: { $map: { input: admitted, in: { $size: "$$this.ids" } } } };
}

/** Returns an expression for the time at an index of the log; missing if the log is empty. */
function timeAt(index: 0 | -1): Document {
  return { $let: { vars: { one: { $arrayElemAt: ["$admitted", index] } }, in: "$$one.at" } };
}

type DecisionTime = "$at" | "$decision.at";

// The window is half-open: an admission leaves it exactly one window length later.
function inWindow({ windowMs }: RateLimitPolicy, at: DecisionTime): Document {
  const admitted = { $filter: { input: "$admitted", cond: { $gt: [toMs("$$this.at"), "$$startMs"] } } };
  return { $let: { vars: { startMs: addMs(at, -windowMs) }, in: admitted } };
}

// An admission later than the decision means that the database's clock was set back. Such an admission is moved to the
// time of the decision; otherwise, it would stay in the window until the clock has caught up with it, and one window
// length longer. All are moved to one time instead of shifted with their distances: if the clock had jumped ahead
// between two of them, the earlier one would leave the window too soon. The log is in the order of its times, so its
// last entry shows whether there is one.
function notAfter(at: DecisionTime): Document {
  const moved = { $map: { input: "$admitted", in: { at: earlier("$$this.at", at), ids: "$$this.ids" } } };
  return { $cond: [{ $gt: [toMs(timeAt(-1)), toMs(at)] }, moved, "$admitted"] };
}

// Evaluated in the update rather than in its query, which finds stores only by key hash, through the index.
function hasValidKey(now: Now): Document {
  const isMatch = { $and: [{ $eq: ["$$key.hash", "$group.hash"] }, isValidKey("$$key", now)] };
  return { $anyElementTrue: [{ $map: { input: "$keys", as: "key", in: isMatch } }] };
}

// `$$NOW` is the time at which an operation started, and operations on one document can finish in a different order.
// Without this lower bound, an operation that started earlier would miss admissions of its window that a later
// operation has dropped. If the last decision is further ahead of `now` than an operation can last, the clock must have
// been set back since, so the last decision is ignored.
function notBeforeLastDecision(now: Now): Document {
  const last = "$decision.at";
  const isTooFarAhead = { $gt: [toMs(last), addMs(now, operationTimeLimitMs)] };
  return { $cond: [isTooFarAhead, now, later(last, now)] };
}
