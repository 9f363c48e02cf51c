import { isPlainObject } from "../../harness/database-commands/shape.ts";
import { addNumbers, compare, type Doc, isTrue, typeOf } from "./bson-value.ts";
import { valueAt } from "./field-path.ts";
import { ServerError } from "./server-error.ts";

/** The variables of an expression, by name without `$$`; `CURRENT` is the document. */
export type Scope = Doc;

/** Returns the variables that every expression has. */
export function scopeOf(document: Doc, now: Date): Scope {
  return { ROOT: document, CURRENT: document, NOW: now, REMOVE: undefined };
}

/** Evaluates an aggregation expression. @returns `undefined` for a missing value */
export function evaluate(expression: unknown, scope: Scope): unknown {
  if (typeof expression === "string") return expression.startsWith("$") ? variable(expression, scope) : expression;
  if (Array.isArray(expression)) return expression.map((one) => evaluate(one, scope) ?? null);
  if (!isPlainObject(expression)) return expression;
  const names = Object.keys(expression);
  const [first = ""] = names;
  if (first.startsWith("$")) return operatorOf(first)(expression[first], scope);
  const fields: Record<string, unknown> = {};
  for (const name of names) {
    const value = evaluate(expression[name], scope);
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

/** Returns whether an object is an operator with its operand, rather than a document. */
export function isOperator(value: unknown): boolean {
  return isPlainObject(value) && Object.keys(value)[0]?.startsWith("$") === true;
}

function variable(path: string, scope: Scope): unknown {
  if (!path.startsWith("$$")) return valueAt(scope.CURRENT, path.slice(1).split("."));
  const names = path.slice(2).split(".");
  const [name = ""] = names;
  if (!Object.hasOwn(scope, name)) throw new ServerError("FailedToParse", `use of undefined variable: ${name}`);
  return valueAt(scope[name], names, 1);
}

type Operator = (operand: unknown, scope: Scope) => unknown;

function operatorOf(name: string): Operator {
  const operator = operators.get(name);
  if (operator === undefined)
    throw new ServerError("FailedToParse", `the simulated server lacks the expression ${name}`);
  return operator;
}

/** An operator of a list of expressions, or of a single one without a list. */
const ofList =
  (apply: (values: readonly unknown[]) => unknown): Operator =>
  (operand, scope) =>
    apply(Array.isArray(operand) ? operand.map((one) => evaluate(one, scope)) : [evaluate(operand, scope)]);

/** An operator that returns null if its first operand is null or missing. */
const unlessNull = (apply: (value: unknown, ...others: readonly unknown[]) => unknown): Operator =>
  ofList(([value, ...others]) => (value === undefined || value === null ? null : apply(value, ...others)));

const comparison = (holds: (difference: number) => boolean): Operator =>
  ofList(([one, other]) => holds(compare(one, other)));

/** An accumulator such as `$max`: of all operands, or of the items of a single array. */
const itemsOf = (values: readonly unknown[]): readonly unknown[] => {
  const [only] = values;
  return values.length === 1 && Array.isArray(only) ? only : values;
};

const isNumber = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint";
const isPresent = (value: unknown) => value !== undefined && value !== null;

/** Functions that reduce a list of values to one, in `$group` and as expressions. */
export const accumulators: ReadonlyMap<string, (values: readonly unknown[]) => unknown> = new Map([
  ["$sum", (values) => values.filter(isNumber).reduce(addNumbers, 0)],
  [
    "$max",
    (values) => values.filter(isPresent).reduce((one: unknown, other) => (compare(other, one) > 0 ? other : one), null),
  ],
  [
    "$min",
    (values) =>
      values
        .filter(isPresent)
        .reduce((one: unknown, other) => (one === null || compare(other, one) < 0 ? other : one), null),
  ],
  ["$first", (values) => values[0] ?? null],
  ["$last", (values) => values.at(-1) ?? null],
  ["$push", (values) => values.filter((value) => value !== undefined)],
]);

const accumulated = ["$sum", "$max", "$min"].map((name): [string, Operator] => {
  const accumulate = accumulators.get(name);
  return [name, ofList((values) => accumulate?.(itemsOf(values)))];
});

function listOf(value: unknown, operator: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new ServerError("TypeMismatch", `${operator} needs an array, not ${typeOf(value)}`);
  return value;
}

function numberOf(value: unknown, operator: string): number {
  if (!isNumber(value)) throw new ServerError("TypeMismatch", `${operator} needs a number, not ${typeOf(value)}`);
  return Number(value);
}

function fieldsOf(operand: unknown, operator: string): Doc {
  if (!isPlainObject(operand)) throw new ServerError("FailedToParse", `${operator} needs a document`);
  return operand;
}

/** Evaluates the `input` of `$filter` or `$map`. @returns null if it is missing; and the scope of each item */
function overItems(operator: string, operand: unknown, scope: Scope) {
  const { input, as = "this", cond, in: inner } = fieldsOf(operand, operator);
  const value = evaluate(input, scope);
  if (!isPresent(value)) return undefined;
  const scopes = listOf(value, operator).map((item) => [item, { ...scope, [String(as)]: item }] as const);
  return { scopes, cond, inner };
}

function add(values: readonly unknown[]): unknown {
  if (!values.every(isPresent)) return null;
  const sum = values
    .map((value) => (value instanceof Date ? value.getTime() : value))
    .filter(isNumber)
    .reduce(addNumbers, 0);
  return values.some((value) => value instanceof Date) ? new Date(Number(sum)) : sum;
}

function subtract([one, other]: readonly unknown[]): unknown {
  if (!isPresent(one) || !isPresent(other)) return null;
  if (one instanceof Date && other instanceof Date) return BigInt(one.getTime() - other.getTime());
  if (one instanceof Date) return new Date(one.getTime() - numberOf(other, "$subtract"));
  if (!isNumber(one) || !isNumber(other)) throw new ServerError("TypeMismatch", "$subtract needs numbers or dates");
  return addNumbers(one, typeof other === "bigint" ? -other : -other + 0);
}

function toLong(value: unknown): bigint {
  if (value instanceof Date) return BigInt(value.getTime());
  return typeof value === "bigint" ? value : BigInt(Math.trunc(numberOf(value, "$toLong")));
}

function slice(value: unknown, first: unknown, second: unknown): unknown {
  const list = listOf(value, "$slice");
  const count = numberOf(first, "$slice");
  if (second === undefined) return count >= 0 ? list.slice(0, count) : list.slice(count);
  return list.slice(count).slice(0, numberOf(second, "$slice"));
}

function condition(operand: unknown, scope: Scope): unknown {
  const [test, yes, no] = Array.isArray(operand)
    ? operand
    : [fieldsOf(operand, "$cond").if, fieldsOf(operand, "$cond").then, fieldsOf(operand, "$cond").else];
  return evaluate(isTrue(evaluate(test, scope)) ? yes : no, scope);
}

function mergeObjects(values: readonly unknown[]): Doc {
  return Object.assign({}, ...values.filter(isPresent).map((value) => fieldsOf(value, "$mergeObjects")));
}

const every = (operand: unknown) => (Array.isArray(operand) ? operand : [operand]);

const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ...accumulated,
  ["$literal", (operand) => operand],
  ["$eq", comparison((difference) => difference === 0)],
  ["$ne", comparison((difference) => difference !== 0)],
  ["$gt", comparison((difference) => difference > 0)],
  ["$gte", comparison((difference) => difference >= 0)],
  ["$lt", comparison((difference) => difference < 0)],
  ["$lte", comparison((difference) => difference <= 0)],
  ["$and", (operand, scope) => every(operand).every((one) => isTrue(evaluate(one, scope)))],
  ["$or", (operand, scope) => every(operand).some((one) => isTrue(evaluate(one, scope)))],
  ["$not", ofList(([value]) => !isTrue(value))],
  ["$cond", condition],
  ["$ifNull", ofList((values) => values.find(isPresent) ?? values.at(-1))],
  ["$in", ofList(([value, list]) => listOf(list, "$in").some((item) => compare(item, value) === 0))],
  ["$add", ofList(add)],
  ["$subtract", ofList(subtract)],
  ["$toLong", unlessNull(toLong)],
  ["$toDate", unlessNull((value) => (value instanceof Date ? value : new Date(numberOf(value, "$toDate"))))],
  ["$type", ofList(([value]) => typeOf(value))],
  ["$size", ofList(([value]) => listOf(value, "$size").length)],
  ["$isArray", ofList(([value]) => Array.isArray(value))],
  ["$arrayElemAt", unlessNull((value, index) => listOf(value, "$arrayElemAt").at(numberOf(index, "$arrayElemAt")))],
  ["$slice", unlessNull(slice)],
  ["$anyElementTrue", ofList(([value]) => listOf(value, "$anyElementTrue").some(isTrue))],
  ["$mergeObjects", ofList(mergeObjects)],
  [
    "$concatArrays",
    ofList((values) => (values.every(isPresent) ? values.flatMap((value) => listOf(value, "$concatArrays")) : null)),
  ],
  [
    "$filter",
    (operand, scope) => {
      const items = overItems("$filter", operand, scope);
      return items?.scopes.filter(([, inner]) => isTrue(evaluate(items.cond, inner))).map(([item]) => item) ?? null;
    },
  ],
  [
    "$map",
    (operand, scope) => {
      const items = overItems("$map", operand, scope);
      return items?.scopes.map(([, inner]) => evaluate(items.inner, inner) ?? null) ?? null;
    },
  ],
  [
    "$let",
    (operand, scope) => {
      const { vars, in: inner } = fieldsOf(operand, "$let");
      const variables = Object.entries(fieldsOf(vars, "$let")).map(([name, value]) => [name, evaluate(value, scope)]);
      return evaluate(inner, { ...scope, ...Object.fromEntries(variables) });
    },
  ],
]);
