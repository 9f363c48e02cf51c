import { isPlainObject } from "../../harness/database-commands/shape.ts";
import type { Doc } from "./bson-value.ts";

/** Returns the value at a path in an expression: a path through an array leads to an array of the items' values. */
export function valueAt(value: unknown, path: readonly string[], from = 0): unknown {
  const name = path[from];
  if (name === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => valueAt(item, path, from)).filter((one) => one !== undefined);
  return isPlainObject(value) ? valueAt(value[name], path, from + 1) : undefined;
}

/** Returns the values at a path in a filter: those of all items of the arrays on the way; `undefined` if missing. */
export function valuesAt(value: unknown, path: readonly string[], from = 0): unknown[] {
  const name = path[from];
  if (name === undefined) return [value];
  if (isPlainObject(value)) return valuesAt(value[name], path, from + 1);
  if (!Array.isArray(value)) return [undefined];
  if (/^\d+$/.test(name)) return valuesAt(value[Number(name)], path, from + 1);
  const found = value.filter(isPlainObject).flatMap((item) => valuesAt(item, path, from));
  return found.length === 0 ? [undefined] : found;
}

/** Returns the document with another value at the path, which `change` returns; `undefined` removes the field. */
export function changeAt(
  value: unknown,
  [name, ...rest]: readonly string[],
  change: (old: unknown) => unknown,
): unknown {
  if (name === undefined) return change(value);
  if (Array.isArray(value) && /^\d+$/.test(name)) {
    const index = Number(name);
    return value.map((item, at) => (at === index ? changeAt(item, rest, change) : item));
  }
  const document: Doc = isPlainObject(value) ? value : {};
  const changed = changeAt(document[name], rest, change);
  if (changed !== undefined) return { ...document, [name]: changed };
  if (!(name in document)) return value;
  const { [name]: _removed, ...others } = document;
  return others;
}

/**
 * Returns the document with another value at the path, as the stages `$set` and `$unset` of a pipeline do: in an array
 * on the way, each item changes.
 */
export function changeEach(
  value: unknown,
  [name, ...rest]: readonly string[],
  change: (old: unknown) => unknown,
): unknown {
  if (name === undefined) return change(value);
  if (Array.isArray(value)) return value.map((item) => changeEach(item, [name, ...rest], change));
  return changeAt(value, [name], (old) => {
    const isNothing = rest.length > 0 && old === undefined && change(undefined) === undefined;
    return isNothing ? undefined : changeEach(old, rest, change);
  });
}
