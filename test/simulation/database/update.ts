import { ObjectId } from "mongodb";
import { isPlainObject } from "../../harness/database-commands/shape.ts";
import { addNumbers, compare, type Doc } from "./bson-value.ts";
import { isOperator } from "./expression.ts";
import { changeAt } from "./field-path.ts";
import { matcherOf, positionIn } from "./filter.ts";
import { ServerError } from "./server-error.ts";
import { transform } from "./stages.ts";

/** An update: a pipeline, update operators, or a replacement. */
export type Update = Doc | readonly Doc[];

interface Circumstances {
  readonly filter: Doc;
  readonly now: Date;
  readonly isInsert?: boolean;
}

/** Returns the updated document. */
export function applyUpdate(document: Doc, update: Update, circumstances: Circumstances): Doc {
  const updated = updatedOf(document, update, circumstances);
  if (!("_id" in document)) return updated;
  const { _id = document._id, ...fields } = updated;
  if (compare(_id, document._id) !== 0) throw new ServerError("BadValue", "an update cannot change the field _id");
  return { _id, ...fields };
}

function updatedOf(document: Doc, update: Update, circumstances: Circumstances): Doc {
  if (isPipeline(update))
    return update.reduce((current, stage) => transform(current, stage, circumstances.now), document);
  if (!isOperator(update)) return update;
  let current = document;
  for (const [operator, operand] of Object.entries(update)) {
    if (!isPlainObject(operand)) throw new ServerError("FailedToParse", `${operator} needs a document`);
    if (operator === "$setOnInsert" && circumstances.isInsert !== true) continue;
    for (const [name, value] of Object.entries(operand)) {
      const path = positioned(name, document, circumstances.filter).split(".");
      const changed = changeAt(current, path, (old) => newValueOf(operator, old, value));
      current = isPlainObject(changed) ? changed : current;
    }
  }
  return current;
}

function isPipeline(update: Update): update is readonly Doc[] {
  return Array.isArray(update);
}

function positioned(path: string, document: Doc, filter: Doc): string {
  const [list = "", rest, ...others] = path.split(".$.");
  if (others.length > 0 || list.includes("$") || rest?.includes("$"))
    throw new ServerError("FailedToParse", `the simulated server lacks the positional operator of ${path}`);
  if (rest === undefined) return path;
  const index = positionIn(filter, document, list);
  if (index === -1) throw new ServerError("BadValue", `the positional operator of ${path} did not find a match`);
  return `${list}.${index}.${rest}`;
}

/** Returns the new value of a field. */
function newValueOf(operator: string, old: unknown, operand: unknown): unknown {
  switch (operator) {
    case "$set":
    case "$setOnInsert":
      return operand;
    case "$unset":
      return undefined;
    case "$inc":
      return addNumbers(numberOf(old ?? 0), numberOf(operand));
    case "$min":
      return old === undefined || compare(operand, old) < 0 ? operand : old;
    case "$max":
      return old === undefined || compare(operand, old) > 0 ? operand : old;
    case "$push":
      return [...listOf(old), ...addedOf(operand)];
    case "$addToSet":
      return addMissing(listOf(old), addedOf(operand));
    case "$pull":
      return old === undefined ? undefined : listOf(old).filter((item) => !isPulled(item, operand));
    default:
      throw new ServerError("FailedToParse", `the simulated server lacks the update operator ${operator}`);
  }
}

function isPulled(item: unknown, condition: unknown): boolean {
  if (isOperator(condition)) return matcherOf({ item: condition })({ item }, new Date(0));
  if (isPlainObject(condition)) return isPlainObject(item) && matcherOf(condition)(item, new Date(0));
  return compare(item, condition) === 0;
}

function addedOf(operand: unknown): readonly unknown[] {
  if (!isPlainObject(operand) || !isOperator(operand)) return [operand];
  const { $each, ...others } = operand;
  const [lacking] = Object.keys(others);
  if (lacking !== undefined)
    throw new ServerError("FailedToParse", `the simulated server lacks the modifier ${lacking} of $push and $addToSet`);
  return listOf($each);
}

function addMissing(list: readonly unknown[], values: readonly unknown[]): readonly unknown[] {
  const result = [...list];
  for (const value of values) if (!result.some((one) => compare(one, value) === 0)) result.push(value);
  return result;
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new ServerError("TypeMismatch", "the field is not an array");
  return value;
}

function numberOf(value: unknown): number | bigint {
  if (typeof value !== "number" && typeof value !== "bigint")
    throw new ServerError("TypeMismatch", "$inc needs a field that is a number");
  return value;
}

/** Returns the document that an upsert inserts when no document matches. */
export function upserted(filter: Doc, update: Update, now: Date): Doc {
  const base = equalitiesOf(filter);
  const document = applyUpdate(base, update, { filter, now, isInsert: true });
  const { _id = base._id ?? new ObjectId(), ...fields } = document;
  return { _id, ...fields };
}

/** Returns the fields that a filter requires to equal a value. */
function equalitiesOf(filter: Doc): Doc {
  let document: Doc = {};
  for (const [path, condition] of Object.entries(filter)) {
    if (path === "$and" && Array.isArray(condition)) {
      for (const one of condition) document = { ...document, ...(isPlainObject(one) && equalitiesOf(one)) };
      continue;
    }
    const value = isPlainObject(condition) && isOperator(condition) ? condition.$eq : condition;
    if (path.startsWith("$") || value === undefined) continue;
    const changed = changeAt(document, path.split("."), () => value);
    if (isPlainObject(changed)) document = changed;
  }
  return document;
}
