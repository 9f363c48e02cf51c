import type { Document } from "mongodb";
import { at, containsDate, date, isPlainObject, noDates, type Shape, shapeOf, union, withField } from "./shape.ts";

type Variables = ReadonlyMap<string, Shape>;

// Operators whose value is one of their operands, or an item of an operand, or contains the operands.
const passOn = new Set(["$ifNull", "$slice", "$concatArrays", "$mergeObjects"]);
const passItemOn = new Set(["$arrayElemAt", "$first", "$last"]);
// Operators that neither compare dates nor calculate with them, or that convert them.
const accept = new Set([...passOn, ...passItemOn, "$toLong", "$toDate", "$type", "$size", "$isArray", "$push"]);

/**
 * Finds the aggregation expressions of a database command in which an operator compares dates or calculates with them:
 * `$$NOW`, date constants, fields that contain dates, or variables with one of these. Servers differ in this, so
 * expressions must convert dates with `$toLong` first (services/registry/mongo/driver/database-time.ts).
 *
 * @param document the shape of the collection's documents
 * @returns each such operator with its operands, as text
 */
export function comparedDates(command: Document, document: Shape): string[] {
  const search = new Search();
  const {
    query,
    filter,
    pipeline,
    update,
    projection,
    fields,
    updates = [],
    deletes = [],
    ops = [],
  }: Document = command;
  const writes: readonly Document[] = [...updates, ...deletes, ...ops];
  for (const one of [query, filter, ...writes.map((write) => write.q ?? write.filter)]) search.filter(one, document);
  for (const one of [
    pipeline,
    update,
    [{ $project: projection ?? fields }],
    ...writes.map(({ u, updateMods }) => u ?? updateMods),
  ])
    if (Array.isArray(one)) search.pipeline(one, document);
  return search.found;
}

/** Collects the operators that compare dates. */
class Search {
  readonly found: string[] = [];

  pipeline(stages: readonly Document[], document: Shape): void {
    let current = document;
    for (const [stage, body] of stages.flatMap((one) => Object.entries(one))) {
      if (stage === "$match") this.filter(body, current);
      // Those that are sent read the same collection.
      else if (stage === "$unionWith") this.pipeline(body.pipeline, document);
      else if (stage !== "$sort" && isPlainObject(body)) current = this.#fields(body, current);
    }
  }

  /** Filters compare stored dates with constants, as all servers do; only `$expr` contains an expression. */
  filter(filter: unknown, document: Shape): void {
    if (Array.isArray(filter)) for (const one of filter) this.filter(one, document);
    if (!isPlainObject(filter)) return;
    for (const [name, value] of Object.entries(filter))
      if (name === "$expr") this.#shapeOf(value, root(document));
      else this.filter(value, document);
  }

  /** Returns the shape of the documents after a stage that sets fields, each to the value of an expression. */
  #fields(body: Record<string, unknown>, document: Shape): Shape {
    const isKept = (value: unknown) => typeof value === "number" || typeof value === "boolean";
    return Object.entries(body)
      .filter(([, value]) => !isKept(value))
      .map(([path, value]) => [path.split("."), this.#shapeOf(value, root(document))] as const)
      .reduce((shape, [path, field]) => withField(shape, path, field), document);
  }

  #shapeOf(expression: unknown, variables: Variables): Shape {
    if (typeof expression === "string") return shapeOfPath(expression, variables);
    if (Array.isArray(expression)) return { item: this.#unionOf(expression, variables) };
    if (!isPlainObject(expression)) return shapeOf(expression);
    const [[operator, operand] = ["", undefined]] = Object.entries(expression);
    if (operator.startsWith("$")) return this.#operator(operator, operand, variables);
    const fields = Object.entries(expression).map(([name, value]) => [name, this.#shapeOf(value, variables)] as const);
    return { fields: new Map(fields) };
  }

  #operator(operator: string, operand: unknown, variables: Variables): Shape {
    if (operator === "$literal") return shapeOf(operand);
    if (operator === "$cond" && Array.isArray(operand)) {
      const [condition, ...branches] = operand;
      this.#shapeOf(condition, variables);
      return this.#unionOf(branches, variables);
    }
    const scoped = isPlainObject(operand) ? this.#scoped(operator, operand, variables) : undefined;
    if (scoped !== undefined) return scoped;
    const operands = Array.isArray(operand) ? operand : [operand];
    const shape = this.#unionOf(operands, variables);
    if (!accept.has(operator) && containsDate(shape)) this.found.push(JSON.stringify({ [operator]: operand }));
    if (operator === "$toDate") return date;
    if (passItemOn.has(operator)) return shape.item ?? shape;
    return passOn.has(operator) ? shape : noDates;
  }

  /** Returns the shape of an operator that defines variables; undefined for other operators. */
  #scoped(operator: string, operand: Record<string, unknown>, variables: Variables): Shape | undefined {
    const { input, initialValue, cond, vars, as = "this" } = operand;
    const inputShape = this.#shapeOf(input, variables);
    const item = inputShape.item ?? noDates;
    const body = (...defined: readonly (readonly [unknown, Shape])[]) =>
      this.#shapeOf(
        operand.in ?? cond,
        new Map([...variables, ...defined.map(([name, shape]) => [String(name), shape] as const)]),
      );
    switch (operator) {
      case "$let":
        return body(
          ...Object.entries(vars ?? {}).map(([name, value]) => [name, this.#shapeOf(value, variables)] as const),
        );
      case "$map":
        return { item: body([as, item]) };
      case "$filter":
        body([as, item]);
        return inputShape;
      case "$reduce": {
        const initial = this.#shapeOf(initialValue, variables);
        return union(initial, body(["this", item], ["value", initial]));
      }
      default:
        return undefined;
    }
  }

  #unionOf(expressions: readonly unknown[], variables: Variables): Shape {
    return expressions.map((one) => this.#shapeOf(one, variables)).reduce(union, noDates);
  }
}

function root(document: Shape): Variables {
  return new Map([
    ["ROOT", document],
    ["CURRENT", document],
    ["NOW", date],
  ]);
}

function shapeOfPath(expression: string, variables: Variables): Shape {
  if (!expression.startsWith("$")) return noDates;
  const path = expression.startsWith("$$") ? expression.slice(2) : `CURRENT.${expression.slice(1)}`;
  const [variable = "", ...names] = path.split(".");
  return at(variables.get(variable) ?? noDates, names);
}
