import { BSONRegExp } from "mongodb";
import { isPlainObject } from "../../harness/database-commands/shape.ts";
import { compare, type Doc, isTrue, rankOf } from "./bson-value.ts";
import { evaluate, isOperator, scopeOf } from "./expression.ts";
import { valuesAt } from "./field-path.ts";
import { ServerError } from "./server-error.ts";

/** Returns whether a document matches a filter. */
export type Matcher = (document: Doc, now: Date) => boolean;

/** Compiles a filter. @throws ServerError for an unknown operator */
export function matcherOf(filter: Doc): Matcher {
  const conditions = Object.keys(filter).map((name) => conditionOf(name, filter[name]));
  const [first, second] = conditions;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  return (document, now) => {
    for (const holds of conditions) if (!holds(document, now)) return false;
    return true;
  };
}

function conditionOf(name: string, operand: unknown): Matcher {
  switch (name) {
    case "$and":
    case "$or":
    case "$nor": {
      const all = filtersOf(name, operand).map(matcherOf);
      if (name === "$and") return (document, now) => all.every((matches) => matches(document, now));
      return (document, now) => all.some((matches) => matches(document, now)) === (name === "$or");
    }
    case "$expr":
      return (document, now) => isTrue(evaluate(operand, scopeOf(document, now)));
    case "$comment":
      return () => true;
  }
  if (name.startsWith("$")) throw new ServerError("BadValue", `the simulated server lacks the filter ${name}`);
  const path = name.split(".");
  const test = testOf(operand);
  return (document) => test(valuesAt(document, path));
}

function filtersOf(name: string, operand: unknown): readonly Doc[] {
  if (!Array.isArray(operand) || !operand.every(isPlainObject))
    throw new ServerError("BadValue", `${name} needs filters`);
  return operand;
}

/** Tests the values at a path; the items of an array are also candidates. */
type Test = (values: readonly unknown[]) => boolean;

/** Returns the test of a condition: a value, a regular expression, or operators. */
function testOf(condition: unknown): Test {
  if (condition instanceof RegExp || condition instanceof BSONRegExp) return patternTest(condition);
  if (!isOperator(condition) || !isPlainObject(condition)) return anyOf(isEqualTo(condition));
  const { $regex, $options, ...others } = condition;
  const tests = Object.entries(others).map(([name, operand]) => operatorTest(name, operand));
  if ($regex !== undefined) tests.push(patternTest(new RegExp(String($regex), String($options ?? ""))));
  return (values) => tests.every((test) => test(values));
}

const patternTest = (pattern: RegExp | BSONRegExp): Test => {
  const regExp = pattern instanceof RegExp ? pattern : new RegExp(pattern.pattern, pattern.options);
  return anyOf((value) => typeof value === "string" && regExp.test(value));
};

const anyOf =
  (holds: (value: unknown) => boolean): Test =>
  (values) =>
    values.some((value) => holds(value) || (Array.isArray(value) && value.some(holds)));

const isEqualTo = (operand: unknown) => (value: unknown) => compare(value ?? null, operand ?? null) === 0;

/** Compares only values of the operand's type, as MongoDB does; null equals a missing value. */
const ordered = (operand: unknown, holds: (difference: number) => boolean): Test => {
  const rank = rankOf(operand);
  return anyOf((value) => rankOf(value ?? null) === rank && holds(compare(value ?? null, operand)));
};

const not =
  (test: Test): Test =>
  (values) =>
    !test(values);

function operatorTest(name: string, operand: unknown): Test {
  switch (name) {
    case "$eq":
      return anyOf(isEqualTo(operand));
    case "$ne":
      return not(anyOf(isEqualTo(operand)));
    case "$gt":
      return ordered(operand, (difference) => difference > 0);
    case "$gte":
      return ordered(operand, (difference) => difference >= 0);
    case "$lt":
      return ordered(operand, (difference) => difference < 0);
    case "$lte":
      return ordered(operand, (difference) => difference <= 0);
    case "$in":
    case "$nin": {
      const tests = (Array.isArray(operand) ? operand : []).map(testOf);
      return (values) => tests.some((test) => test(values)) === (name === "$in");
    }
    case "$not":
      return not(testOf(operand));
    case "$exists":
      return (values) => values.some((value) => value !== undefined) === isTrue(operand);
    case "$size":
      return (values) => values.some((value) => Array.isArray(value) && value.length === operand);
    case "$elemMatch": {
      const matches = itemMatcher(operand);
      return (values) => values.some((value) => Array.isArray(value) && value.some(matches));
    }
    default:
      throw new ServerError("BadValue", `the simulated server lacks the filter ${name}`);
  }
}

/** Returns whether an item of an array matches the operand of `$elemMatch`. */
function itemMatcher(operand: unknown): (item: unknown) => boolean {
  if (!isPlainObject(operand)) throw new ServerError("BadValue", "$elemMatch needs a document");
  if (isOperator(operand)) {
    const test = testOf(operand);
    return (item) => test([item]);
  }
  const matches = matcherOf(operand);
  return (item) => isPlainObject(item) && matches(item, new Date(0));
}

/** Returns the index of the first item that matches the filter's conditions on an array: the positional `$`. */
export function positionIn(filter: Doc, document: Doc, path: string): number {
  const [list] = valuesAt(document, path.split("."));
  if (!Array.isArray(list)) return -1;
  const tests = Object.entries(filter).flatMap(([name, operand]) => {
    if (name === path && isPlainObject(operand) && "$elemMatch" in operand) return [itemMatcher(operand.$elemMatch)];
    return name.startsWith(`${path}.`) ? [itemMatcher({ [name.slice(path.length + 1)]: operand })] : [];
  });
  return tests.length === 0 ? -1 : list.findIndex((item) => tests.every((test) => test(item)));
}
