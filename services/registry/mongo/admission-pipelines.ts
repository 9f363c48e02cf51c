import type { Binary, Document } from "mongodb";
import type { RateLimitPolicy } from "../stores/admission.ts";
import { isValidKey } from "./api-key-expressions.ts";
import { addMs, type DatabaseTime, toMs } from "./database-time.ts";
import { operationTimeLimitMs } from "./time-limits.ts";

type Now = ReturnType<DatabaseTime>;

/**
 * Returns the update that decides whether to admit a request and, if so, appends it to the window.
 *
 * @param id identifies the admission for {@link returnPipeline}; undefined if its place cannot be returned
 */
export function admissionPipeline(policy: RateLimitPolicy, hash: Binary, now: Now, id?: Binary): Document[] {
  const at = "$decision.at";
  const hasRoom = { $lt: [{ $size: "$admitted" }, policy.limit] };
  const isAdmitted = { $and: ["$decision.keyIsValid", { $eq: ["$plan", "pro"] }, hasRoom] };
  return [
    {
      $set: {
        decision: { at: notBeforeLastDecision(now), keyIsValid: hasValidKey(hash, now) },
        places: placesNotAfter(notBeforeLastDecision(now)),
      },
    },
    { $set: { admitted: notAfter(at, inWindow(policy, at)) } },
    { $set: { "decision.admitted": isAdmitted } },
    {
      $set: {
        admitted: { $cond: ["$decision.admitted", { $concatArrays: ["$admitted", [at]] }, "$admitted"] },
        ...(id && { places: { $cond: ["$decision.admitted", withPlace({ id, at }), "$places"] } }),
      },
    },
  ];
}

/**
 * Returns the update that removes admissions from the window. Admission times are not unique, so the update removes one
 * equal time per returned place. An id that is unknown, or whose place is already returned, changes nothing.
 */
export function returnPipeline(ids: readonly Binary[]): Document[] {
  const isReturned = { $in: ["$$place.id", ids] };
  const returned = { $filter: { input: "$places", as: "place", cond: isReturned } };
  const admitted = { $reduce: { input: returned, initialValue: "$admitted", in: withoutOne("$$value", "$$this.at") } };
  const places = { $filter: { input: "$places", as: "place", cond: { $not: [isReturned] } } };
  return [{ $set: { admitted } }, { $set: { places } }];
}

/**
 * Returns the aggregation that reads the inputs of an admission decision for each store that owns one of these keys:
 * the plan, the time of the decision, the admissions in the window at that time, and which of these keys are valid
 * (`validHashes`).
 */
export function windowPipeline(policy: RateLimitPolicy, hashes: readonly Binary[], now: Now): Document[] {
  const isValid = { $and: [{ $in: ["$$key.hash", hashes] }, isValidKey("$$key", now)] };
  const validKeys = { $filter: { input: "$keys", as: "key", cond: isValid } };
  const validHashes = { $map: { input: validKeys, as: "key", in: "$$key.hash" } };
  return [
    { $match: { "keys.hash": { $in: hashes } } },
    { $project: { plan: 1, admitted: 1, validHashes, at: notBeforeLastDecision(now) } },
    // Ignores admissions in the future: only the update can move them to the time of its decision. If they counted
    // here, the window could appear full, and a request that reads a full window never reaches the update.
    { $set: { admitted: { $filter: { input: inWindow(policy, "$at"), as: "admission", cond: isNotAfter("$at") } } } },
  ];
}

// Keeps as many places as there are admissions in the window, this one included: older places need not be returned.
function withPlace(place: Document): Document {
  const count = { $add: [{ $size: "$admitted" }, 1] };
  return { $slice: [{ $concatArrays: ["$places", [place]] }, { $multiply: [-1, count] }] };
}

function withoutOne(times: string, time: string): Document {
  const indexes = { $range: [0, { $size: times }] };
  const others = { $filter: { input: indexes, as: "index", cond: { $ne: ["$$index", "$$removed"] } } };
  const kept = { $map: { input: others, as: "index", in: { $arrayElemAt: [times, "$$index"] } } };
  return { $let: { vars: { removed: { $indexOfArray: [times, time] } }, in: kept } };
}

// The window is half-open: an admission leaves it exactly one window length later.
function inWindow({ windowMs }: RateLimitPolicy, at: DecisionTime): Document {
  const cond = { $gt: [toMs("$$admission"), addMs(at, -windowMs)] };
  return { $filter: { input: "$admitted", as: "admission", cond } };
}

type DecisionTime = "$at" | "$decision.at";

// An admission later than the decision means that the database's clock was set back. Moved to the time of the decision,
// the admission leaves the window after one window length instead of when the clock has caught up.
function notAfter(at: DecisionTime, admissions: Document): Document {
  return { $map: { input: admissions, as: "admission", in: { $min: ["$$admission", at] } } };
}

// A return finds the admission by its time, so the times of places and admissions change together. A change is
// necessary only if the database's clock was set back, so that this decision precedes the last one; otherwise
// the places are not read.
function placesNotAfter(at: Document): Document {
  const place = { id: "$$place.id", at: { $min: ["$$place.at", at] } };
  const places = { $ifNull: ["$places", []] };
  const clamped = { $map: { input: places, as: "place", in: place } };
  return { $cond: [{ $gt: [toMs("$decision.at"), { $toLong: at }] }, clamped, places] };
}

function isNotAfter(at: DecisionTime): Document {
  return { $lte: ["$$admission", at] };
}

// Part of the update rather than of its query, which is an equality match on the index over key hashes.
function hasValidKey(hash: Binary, now: Now): Document {
  const isMatch = { $and: [{ $eq: ["$$key.hash", hash] }, isValidKey("$$key", now)] };
  return { $anyElementTrue: [{ $map: { input: "$keys", as: "key", in: isMatch } }] };
}

// `$$NOW` is the time at which an operation started, and operations on one document can finish in a different order.
// Without this lower bound, an operation that started earlier would miss admissions of its window that a later
// operation has dropped. If the last decision is further ahead than an operation can last, the clock was set back
// since, and the last decision is ignored.
function notBeforeLastDecision(now: Now): Document {
  const last = "$decision.at";
  const isLater = { $gt: [toMs(last), toMs(now)] };
  const isPlausible = { $lte: [toMs(last), addMs(now, operationTimeLimitMs)] };
  return { $cond: [{ $and: [isLater, isPlausible] }, last, now] };
}
