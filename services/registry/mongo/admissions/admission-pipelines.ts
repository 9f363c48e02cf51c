import type { Binary, Document } from "mongodb";
import type { RateLimitPolicy } from "../../stores/admission.ts";
import { addMs, allToMs, type DatabaseTime, earlier, later, toMs } from "../driver/database-time.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";
import { isValidKey } from "./api-key-expressions.ts";

type Now = ReturnType<DatabaseTime>;

/** Projects the window to the fields that are reported with a decision. */
const windowSummary = { count: { $size: "$admitted" }, oldest: { $arrayElemAt: ["$admitted", 0] } } as const;

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
 * holds a place keeps it and takes no other, so the update may be repeated.
 */
export function admissionPipeline(policy: RateLimitPolicy, now: Now, groups: readonly RequestGroup[]): Document[] {
  const at = "$decision.at";
  const hashes = { $map: { input: "$keys", as: "key", in: "$$key.hash" } };
  const isOfStore = { $in: ["$$group.hash", "$$hashes"] };
  const groupsOfStore = { $filter: { input: groups, as: "group", cond: isOfStore } };
  const group = { $arrayElemAt: [{ $let: { vars: { hashes }, in: groupsOfStore } }, 0] };
  const id = { $arrayElemAt: ["$group.ids", 0] };
  const held = { $map: { input: "$places", as: "place", in: "$$place.id" } };
  const others = { $filter: { input: "$group.ids", as: "id", cond: { $not: [{ $in: ["$$id", "$$held"] }] } } };
  const mayAdmit = { $and: ["$decision.group.keyIsValid", { $eq: ["$plan", "pro"] }] };
  const free = { $max: [0, { $subtract: [policy.limit, { $size: "$admitted" }] }] };
  const newIds = { $slice: ["$group.others", { $cond: [mayAdmit, free, 0] }] };
  const newTimes = { $map: { input: "$group.new", in: at } };
  const holdsPlace = { $or: [{ $not: [{ $in: ["$$id", "$group.others"] }] }, { $in: ["$$id", "$group.new"] }] };
  const newPlaces = { $map: { input: "$group.new", as: "id", in: { id: "$$id", at } } };
  return [
    { $set: { group } },
    {
      $set: {
        decision: { at: notBeforeLastDecision(now), group: { id, keyIsValid: hasValidKey(now), plan: "$plan" } },
      },
    },
    { $set: { admitted: notAfter(at, inWindow(policy, at)), places: placesNotAfter(at) } },
    { $set: { "group.others": { $let: { vars: { held }, in: others } } } },
    { $set: { "group.new": newIds } },
    {
      $set: {
        "decision.group.admitted": { $map: { input: "$group.ids", as: "id", in: holdsPlace } },
        admitted: { $concatArrays: ["$admitted", newTimes] },
        // The window has at most this many admissions, so older places have left it.
        places: { $slice: [{ $concatArrays: ["$places", newPlaces] }, -policy.limit] },
      },
    },
    { $unset: "group" },
  ];
}

/**
 * Returns the update that removes admissions from the window. Admission times are not unique, so for each returned
 * place the update removes one admission with its time. An id that is unknown, or whose place is already returned,
 * changes nothing.
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
    {
      $set: {
        admitted: { $filter: { input: inWindow(policy, "$at"), cond: { $lte: [toMs("$$this"), toMs("$at")] } } },
      },
    },
    { $project: { plan: 1, validHashes: 1, at: 1, ...windowSummary } },
  ];
}

function withoutOne(times: `$${string}`, time: `$${string}`): Document {
  const indexes = { $range: [0, { $size: times }] };
  const others = { $filter: { input: indexes, as: "index", cond: { $ne: ["$$index", "$$removed"] } } };
  const kept = { $map: { input: others, as: "index", in: { $arrayElemAt: [times, "$$index"] } } };
  return { $let: { vars: { removed: { $indexOfArray: [allToMs(times), toMs(time)] } }, in: kept } };
}

type DecisionTime = "$at" | "$decision.at";

// The window is half-open: an admission leaves it exactly one window length later.
function inWindow({ windowMs }: RateLimitPolicy, at: DecisionTime): Document {
  const admitted = { $filter: { input: "$admitted", cond: { $gt: [toMs("$$this"), "$$startMs"] } } };
  return { $let: { vars: { startMs: addMs(at, -windowMs) }, in: admitted } };
}

// An admission later than the decision means that the database's clock was set back. Such an admission is moved to the
// time of the decision; otherwise, it would stay in the window until the clock has caught up with it, and one window
// length longer.
function notAfter(at: DecisionTime, admissions: Document): Document {
  return { $map: { input: admissions, in: earlier("$$this", at) } };
}

// A return finds the admission by its time, so the times of places and admissions change together. Each place in the
// window has an admission with the same time, so the places need no change if no admission is after the decision.
function placesNotAfter(at: DecisionTime): Document {
  const places = { $ifNull: ["$places", []] };
  const place = { id: "$$place.id", at: earlier("$$place.at", at) };
  const clamped = { $map: { input: places, as: "place", in: place } };
  return { $cond: [{ $gt: [{ $max: allToMs("$admitted") }, toMs(at)] }, clamped, places] };
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
