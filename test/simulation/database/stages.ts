import { isPlainObject } from "../../harness/database-commands/shape.ts";
import { compare, type Doc, isTrue, keyOf } from "./bson-value.ts";
import { accumulators, evaluate, isOperator, type Scope, scopeOf } from "./expression.ts";
import { changeEach, valueAt, valuesAt } from "./field-path.ts";
import { matcherOf } from "./filter.ts";
import { ServerError } from "./server-error.ts";

/** Runs the stages of a pipeline. */
export function runStages(documents: readonly Doc[], stages: readonly Doc[], now: Date): readonly Doc[] {
  return stages.reduce((current, stage) => runStage(current, stage, now), documents);
}

function runStage(documents: readonly Doc[], stage: Doc, now: Date): readonly Doc[] {
  const [[name, operand] = ["", undefined]] = Object.entries(stage);
  switch (name) {
    case "$limit":
      return documents.slice(0, Number(operand));
    case "$skip":
      return documents.slice(Number(operand));
    case "$group":
      return group(documents, docOf(operand), now);
    case "$count":
      return documents.length === 0 ? [] : [{ [String(operand)]: documents.length }];
    case "$match": {
      const matches = matcherOf(docOf(operand));
      return documents.filter((document) => matches(document, now));
    }
    case "$sort":
      return sorted(documents, docOf(operand));
    default:
      return documents.map((document) => transform(document, stage, now));
  }
}

/** Runs a stage that changes one document, in a pipeline or an update. */
export function transform(document: Doc, stage: Doc, now: Date): Doc {
  const [[name, operand] = ["", undefined]] = Object.entries(stage);
  switch (name) {
    case "$set":
    case "$addFields":
      return setFields(document, docOf(operand), scopeOf(document, now));
    case "$unset":
      return [operand].flat().reduce((current: Doc, path) => removeAt(current, String(path)), document);
    case "$project":
      return project(document, docOf(operand), now);
    case "$replaceWith":
      return docOf(evaluate(operand, scopeOf(document, now)));
    default:
      throw new ServerError("FailedToParse", `the simulated server lacks the stage ${name}`);
  }
}

function docOf(value: unknown): Doc {
  if (!isPlainObject(value)) throw new ServerError("FailedToParse", "a document is expected");
  return value;
}

function removeAt(document: Doc, path: string): Doc {
  return docOf(changeEach(document, path.split("."), () => undefined));
}

/** A document among the operands of `$set` is set field by field; only an operator is an expression. */
function setFields(document: Doc, fields: Doc, scope: Scope, prefix: readonly string[] = []): Doc {
  let result = document;
  for (const [name, expression] of Object.entries(fields)) {
    const path = [...prefix, ...name.split(".")];
    if (isPlainObject(expression) && !isOperator(expression) && Object.keys(expression).length > 0)
      result = setFields(result, expression, scope, path);
    else {
      const value = evaluate(expression, scope);
      result = docOf(changeEach(result, path, () => value));
    }
  }
  return result;
}

/** Returns the fields that a projection includes, leaves or computes. */
export function project(document: Doc, projection: Doc, now: Date): Doc {
  const { _id: idRule = 1, ...rules } = projection;
  const entries = Object.entries(rules);
  const isFlag = (rule: unknown) => typeof rule === "number" || typeof rule === "boolean" || typeof rule === "bigint";
  const includes = entries.length === 0 ? isTrue(idRule) : entries.some(([, rule]) => !isFlag(rule) || isTrue(rule));
  if (!includes) {
    const kept = isTrue(idRule) ? document : removeAt(document, "_id");
    return entries.reduce((current, [path]) => removeAt(current, path), kept);
  }
  if (entries.length === 0 && "_id" in projection) return "_id" in document ? { _id: document._id } : {};
  if (entries.length === 0) return document;
  const included = entries.filter(([, rule]) => isFlag(rule)).map(([path]) => path.split("."));
  const kept = docOf(pick(document, [...(isTrue(idRule) ? [["_id"]] : []), ...included]));
  const computed = Object.fromEntries(entries.filter(([, rule]) => !isFlag(rule)));
  return setFields(kept, computed, scopeOf(document, now));
}

/** Keeps the fields at these paths, in the order of the document. */
function pick(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (Array.isArray(value)) return value.filter(isPlainObject).map((item) => pick(item, paths));
  if (!isPlainObject(value)) return undefined;
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const below = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
    if (below.length === 0) return [];
    const kept = below.some(({ length }) => length === 0) ? field : pick(field, below);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return Object.fromEntries(fields);
}

/** Sorts documents. Of an array, the least item counts in an ascending order, and the greatest in a descending one. */
export function sorted(documents: readonly Doc[], sort: Doc): readonly Doc[] {
  if (documents.length < 2) return documents;
  const keys = Object.entries(sort).map(([path, direction]) => ({ path: path.split("."), sign: Number(direction) }));
  const keyed = documents.map((document) => ({
    document,
    values: keys.map(({ path, sign }) => sortValue(valuesAt(document, path), sign)),
  }));
  keyed.sort((one, other) => {
    for (const [index, { sign }] of keys.entries()) {
      const difference = compare(one.values[index], other.values[index]) * sign;
      if (difference !== 0) return difference;
    }
    return 0;
  });
  return keyed.map(({ document }) => document);
}

function sortValue(values: readonly unknown[], sign: number): unknown {
  const items = values.flatMap((value) => (Array.isArray(value) ? value : [value])).map((value) => value ?? null);
  return items.reduce((one, other) => (compare(other, one) * sign < 0 ? other : one), items[0] ?? null);
}

function group(documents: readonly Doc[], { _id, ...fields }: Doc, now: Date): readonly Doc[] {
  const scopes = documents.map((document) => scopeOf(document, now));
  const groups = Map.groupBy(scopes, (scope) => keyOf(evaluate(_id, scope)));
  return Array.from(groups.values(), (members) => {
    const id = members[0] && evaluate(_id, members[0]);
    const accumulated = Object.entries(fields).map(([name, rule]) => {
      const [[operator, operand] = ["", undefined]] = Object.entries(docOf(rule));
      const accumulate = accumulators.get(operator);
      if (accumulate === undefined)
        throw new ServerError("FailedToParse", `the simulated server lacks the accumulator ${operator}`);
      return [name, accumulate(members.map((scope) => evaluate(operand, scope)))] as const;
    });
    return { _id: id ?? null, ...Object.fromEntries(accumulated) };
  });
}

/** Returns the distinct values at a path; the items of an array count one by one. */
export function distinctValues(documents: readonly Doc[], path: string): unknown[] {
  const values = documents
    .flatMap((document) => [valueAt(document, path.split("."))].flat())
    .filter((value) => value !== undefined);
  return Array.from(new Map(values.map((value) => [keyOf(value), value])).values());
}
