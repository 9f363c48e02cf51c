import type { Binary, Document } from "mongodb";
import type { RateLimitPolicy } from "../stores/admission.ts";
import { isValidKey } from "./api-key-expressions.ts";
import { type DatabaseTime, msBetween } from "./database-time.ts";

/** How long an operation on admissions may take at the most. */
export const admissionTimeLimitMs = 4_000;

type Now = ReturnType<DatabaseTime>;

/** The update that decides about a request and, if there is room, takes a place. */
export function admissionPipeline(policy: RateLimitPolicy, hash: Binary, now: Now): Document[] {
  const at = "$decision.at";
  const hasRoom = { $lt: [{ $size: "$admitted" }, policy.limit] };
  const isAdmitted = { $and: ["$decision.keyIsValid", { $eq: ["$plan", "pro"] }, hasRoom] };
  return [
    { $set: { decision: { at: noEarlierThanTheLast(now), keyIsValid: hasValidKey(hash, now) } } },
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
 * The aggregation that shows how decisions would be made about requests with these keys, and changes nothing: of each store,
 * its plan, the time, the admissions that are in the window then, and which of the keys are its own and valid (`validHashes`).
 */
export function windowPipeline(policy: RateLimitPolicy, hashes: readonly Binary[], now: Now): Document[] {
  const isValid = { $and: [{ $in: ["$$key.hash", hashes] }, isValidKey("$$key", now)] };
  const validKeys = { $filter: { input: "$keys", as: "key", cond: isValid } };
  const validHashes = { $map: { input: validKeys, as: "key", in: "$$key.hash" } };
  return [
    { $match: { "keys.hash": { $in: hashes } } },
    { $project: { plan: 1, admitted: 1, validHashes, at: noEarlierThanTheLast(now) } },
    { $set: { admitted: inWindow(policy, "$at") } },
  ];
}

// A place is free again exactly one window after it was taken: half-open, so that no window ever holds one too many.
function inWindow({ windowMs }: RateLimitPolicy, at: "$at" | "$decision.at"): Document {
  const cond = { $lt: [msBetween("$$taken", at), windowMs] };
  return { $filter: { input: "$admitted", as: "taken", cond } };
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
  const isLater = { $and: [{ $gt: [aheadMs, 0] }, { $lte: [aheadMs, admissionTimeLimitMs] }] };
  return { $cond: [isLater, last, now] };
}
