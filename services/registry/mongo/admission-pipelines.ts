import type { Binary, Document } from "mongodb";
import type { RateLimitPolicy } from "../stores/admission.ts";
import { isValidKey } from "./api-key-expressions.ts";
import { addMs, type DatabaseTime, toMs } from "./database-time.ts";

/** Maximum duration of an operation on admissions. */
export const admissionTimeLimitMs = 4_000;

type Now = ReturnType<DatabaseTime>;

/** Returns the update that decides about a request and, if there is room in the window, admits it. */
export function admissionPipeline(policy: RateLimitPolicy, hash: Binary, now: Now): Document[] {
  const at = "$decision.at";
  const hasRoom = { $lt: [{ $size: "$admitted" }, policy.limit] };
  const isAdmitted = { $and: ["$decision.keyIsValid", { $eq: ["$plan", "pro"] }, hasRoom] };
  return [
    { $set: { decision: { at: notBeforeLastDecision(now), keyIsValid: hasValidKey(hash, now) } } },
    { $set: { admitted: inWindow(policy, at) } },
    { $set: { "decision.admitted": isAdmitted } },
    {
      $set: {
        admitted: { $cond: ["$decision.admitted", { $concatArrays: ["$admitted", [at]] }, "$admitted"] },
      },
    },
  ];
}

/**
 * Returns the aggregation that reads what decisions about these keys depend on: per store the plan, the time of the decision,
 * the admissions in the window at that time, and which of the keys are the store's and valid (`validHashes`).
 */
export function windowPipeline(policy: RateLimitPolicy, hashes: readonly Binary[], now: Now): Document[] {
  const isValid = { $and: [{ $in: ["$$key.hash", hashes] }, isValidKey("$$key", now)] };
  const validKeys = { $filter: { input: "$keys", as: "key", cond: isValid } };
  const validHashes = { $map: { input: validKeys, as: "key", in: "$$key.hash" } };
  return [
    { $match: { "keys.hash": { $in: hashes } } },
    { $project: { plan: 1, admitted: 1, validHashes, at: notBeforeLastDecision(now) } },
    { $set: { admitted: inWindow(policy, "$at") } },
  ];
}

// The window is half-open: an admission leaves it exactly one window length later.
function inWindow({ windowMs }: RateLimitPolicy, at: "$at" | "$decision.at"): Document {
  const cond = { $gt: [toMs("$$admission"), addMs(at, -windowMs)] };
  return { $filter: { input: "$admitted", as: "admission", cond } };
}

// Part of the update rather than of its query, which is an equality match on the index over key hashes.
function hasValidKey(hash: Binary, now: Now): Document {
  const isMatch = { $and: [{ $eq: ["$$key.hash", hash] }, isValidKey("$$key", now)] };
  return { $anyElementTrue: [{ $map: { input: "$keys", as: "key", in: isMatch } }] };
}

// `$$NOW` is the time at which an operation started, and operations on one document can finish in another order: without
// this, the earlier one would count admissions that the later one has already dropped. A last decision further ahead than any
// operation lasts was made before the clock was set back, and is ignored.
function notBeforeLastDecision(now: Now): Document {
  const last = "$decision.at";
  const isLater = { $gt: [toMs(last), toMs(now)] };
  const isPlausible = { $lte: [toMs(last), addMs(now, admissionTimeLimitMs)] };
  return { $cond: [{ $and: [isLater, isPlausible] }, last, now] };
}
