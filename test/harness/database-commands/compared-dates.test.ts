import { expect, test } from "vitest";
import { comparedDates } from "./compared-dates.ts";
import { shapeOf } from "./shape.ts";

const stored = shapeOf({
  at: new Date(),
  count: 1,
  times: [new Date()],
  keys: [
    { id: "one", validUntil: null },
    { id: "two", validUntil: new Date() },
  ],
});
const set = (value: unknown) => ({ findAndModify: "any", update: [{ $set: { value } }] });
const ms = (value: unknown) => ({ $toLong: value });
const isEnded = (until: unknown) => ({ $filter: { input: "$keys", as: "key", cond: { $lt: [until, ms("$$NOW")] } } });
const earliest = (time: unknown) => ({ $map: { input: "$times", in: { $min: [time, 5] } } });

test.each([
  ["$$NOW", { $gt: ["$$NOW", 5] }],
  ["a stored date", { $max: ["$at", ms("$$NOW")] }],
  ["a date constant", { $eq: [new Date(), ms("$at")] }],
  ["a date that is subtracted", { $subtract: [ms("$$NOW"), "$at"] }],
  ["a date that $toDate returns", { $add: [{ $toDate: ms("$at") }, 5] }],
  ["the items of a stored array", earliest("$$this")],
  ["a field of the items of a stored array", isEnded("$$key.validUntil")],
  ["a variable", { $let: { vars: { last: { $ifNull: ["$at", null] } }, in: { $lte: ["$$last", 5] } } }],
  ["the result of a condition", { $lt: [{ $cond: [true, "$at", 5] }, 5] }],
  ["the sum of a reduction", { $reduce: { input: "$times", initialValue: 0, in: { $add: ["$$value", "$$this"] } } }],
  ["an array of dates that is searched", { $in: [5, "$times"] }],
])("finds an operator that receives %s", (_, expression) => {
  expect(comparedDates(set(expression), stored)).toHaveLength(1);
});

test.each([
  ["converted with $toLong", { $gt: [ms("$$NOW"), { $add: [ms("$at"), 5] }] }],
  ["converted one by one", earliest(ms("$$this"))],
  ["converted in a field of an item", isEnded(ms("$$key.validUntil"))],
  ["only stored", { $ifNull: ["$at", "$$NOW"] }],
  ["a literal text", { $eq: [{ $literal: "$$NOW" }, "$count"] }],
  ["only counted", { $lt: [{ $size: "$times" }, "$count"] }],
])("accepts dates that are %s", (_, expression) => {
  expect(comparedDates(set(expression), stored)).toEqual([]);
});

const compares = { $gt: ["$$NOW", "$at"] };

test.each<[string, object]>([
  ["an aggregation", { aggregate: "any", pipeline: [{ $project: { value: compares } }] }],
  [
    "a field that an earlier stage has set",
    { aggregate: "any", pipeline: [{ $set: { now: "$$NOW" } }, { $set: { value: { $gt: ["$now", 5] } } }] },
  ],
  ["an update", { update: "any", updates: [{ q: {}, u: [{ $set: { value: compares } }] }] }],
  ["a bulkWrite", { bulkWrite: 1, ops: [{ update: 0, filter: {}, updateMods: [{ $set: { value: compares } }] }] }],
  ["a projection", { find: "any", projection: { value: compares } }],
  ["$expr in a filter", { find: "any", filter: { $or: [{ $expr: compares }] } }],
  ["$expr in a stage", { aggregate: "any", pipeline: [{ $match: { $expr: compares } }] }],
  [
    "a joined pipeline",
    { aggregate: "any", pipeline: [{ $unionWith: { pipeline: [{ $match: { $expr: compares } }] } }] },
  ],
  ["$expr in a deletion", { delete: "any", deletes: [{ q: { $expr: compares } }] }],
])("finds the comparison in %s", (_, command) => {
  expect(comparedDates(command, stored)).toHaveLength(1);
});

test("accepts filters and updates without expressions", () => {
  const query = { at: { $gte: new Date() } };
  expect(comparedDates({ findAndModify: "any", query, update: { $max: { at: new Date() } } }, stored)).toEqual([]);
  const joined = [{ $unionWith: { pipeline: [{ $match: query }] } }];
  expect(comparedDates({ aggregate: "any", pipeline: joined }, stored)).toEqual([]);
});
