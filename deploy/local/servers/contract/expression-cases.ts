import { randomUUID } from "node:crypto";
import { type Document, Int32, Long } from "mongodb";
import { isValidKey } from "../../../../services/registry/mongo/admissions/api-key-expressions.ts";
import { addMs, earlier, later, toDate, toMs } from "../../../../services/registry/mongo/driver/database-time.ts";
import { type ContractCase, contractCase, withTypes } from "./contract-case.ts";

const at = new Date("2026-05-01T12:00:00.000Z");
const ms = at.getTime();
const stored = {
  at,
  ends: new Date(ms + 5),
  times: [at, new Date(ms + 5)],
  count: new Int32(3),
  keys: [
    { id: "without end", validUntil: null },
    { id: "ended", validUntil: at },
    { id: "ends later", validUntil: new Date("2999-01-01T00:00:00.000Z") },
  ],
};

/** How the server evaluates an expression on a stored document. */
export function expressionCase(name: string, expression: Document | string, expected: unknown): ContractCase {
  return contractCase(
    name,
    async ({ client }) => {
      const collection = client.db().collection("contract");
      const { insertedId } = await collection.insertOne({ ...stored, run: randomUUID() });
      const pipeline = [{ $match: { _id: insertedId } }, { $project: { _id: 0, value: expression } }];
      const [result] = await collection.aggregate(pipeline, withTypes).toArray();
      return result?.value;
    },
    expected,
  );
}

/** Dates in expressions, and the types of what arithmetic returns. */
export const expressionCases: readonly ContractCase[] = [
  expressionCase("$gt of $toLong of $$NOW and of a stored date", { $gt: [toMs("$$NOW"), toMs("$at")] }, true),
  expressionCase(
    "$max of $toLong of $$NOW and of a stored date",
    { $eq: [toMs(later("$at", "$$NOW")), toMs("$$NOW")] },
    true,
  ),
  expressionCase("$min of $toLong of $$NOW and of a stored date, as a date", earlier("$at", "$$NOW"), at),
  expressionCase("$toLong of a stored date", toMs("$at"), Long.fromNumber(ms)),
  expressionCase("$toLong of a missing date", toMs("$missing"), null),
  expressionCase("$toDate of the $toLong of a missing date", toDate(toMs("$missing")), null),
  expressionCase("$add of $toLong of a date and an integer", addMs("$at", 5), Long.fromNumber(ms + 5)),
  expressionCase("$max of $toLong of a missing date and of a date", later("$missing", "$at"), at),
  expressionCase("$min of $toLong of a missing date and of a date", earlier("$missing", "$at"), at),
  expressionCase("$gt of the $toLong of a missing date and a number", { $gt: [toMs("$missing"), -1] }, false),
  expressionCase("$lt of the $toLong of a missing date and a number", { $lt: [toMs("$missing"), -1] }, true),
  expressionCase(
    "$subtract of $toLong of a date from a stored date",
    { $subtract: [toMs("$ends"), toMs(at)] },
    Long.fromNumber(5),
  ),
  expressionCase(
    "$subtract of $toLong of a date from a missing date",
    { $subtract: [toMs("$missing"), toMs(at)] },
    null,
  ),
  expressionCase(
    "$lt of the $subtract of $toLong of $$NOW and a number",
    { $lt: [{ $subtract: [toMs("$at"), toMs("$$NOW")] }, 0] },
    true,
  ),
  expressionCase("$toDate of the $add of $toLong of a date and an integer", toDate(addMs(at, 100)), new Date(ms + 100)),
  expressionCase("$add of integers", { $add: ["$count", 1] }, new Int32(4)),
  expressionCase("$size", { $size: "$times" }, new Int32(2)),
  expressionCase(
    "$filter for keys whose end is missing or later than $$NOW",
    {
      $map: { input: { $filter: { input: "$keys", as: "key", cond: isValidKey("$$key", "$$NOW") } }, in: "$$this.id" },
    },
    ["without end", "ends later"],
  ),
];
