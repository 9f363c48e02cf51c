/** Where a value contains dates: it is a date, an array of items, or an object with fields. Other values are empty. */
export interface Shape {
  readonly isDate?: boolean;
  readonly item?: Shape;
  readonly fields?: ReadonlyMap<string, Shape>;
}

/** The shape of values without dates. */
export const noDates: Shape = {};

export const date: Shape = { isDate: true };

/** Returns the shape that all of the values have. */
export function shapeOf(...values: readonly unknown[]): Shape {
  return values.map(shapeOfOne).reduce(union, noDates);
}

function shapeOfOne(value: unknown): Shape {
  if (value instanceof Date) return date;
  if (Array.isArray(value)) return { item: shapeOf(...value) };
  if (!isPlainObject(value)) return noDates;
  return { fields: new Map(Object.entries(value).map(([name, field]) => [name, shapeOfOne(field)])) };
}

/** Returns whether a value is an object with fields, not an array, a date, or another BSON value. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  return Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
}

/** Returns the shape of a value that has one of two shapes. */
export function union(one: Shape, other: Shape): Shape {
  if (one === noDates || one === other) return other;
  if (other === noDates) return one;
  const fields = new Map(one.fields);
  for (const [name, field] of other.fields ?? []) fields.set(name, union(fields.get(name) ?? noDates, field));
  return {
    isDate: one.isDate === true || other.isDate === true,
    item: union(one.item ?? noDates, other.item ?? noDates),
    fields,
  };
}

/** Returns the shape of the field at a path. A path through an array leads to an array of the items' fields. */
export function at(shape: Shape, [name, ...rest]: readonly string[]): Shape {
  if (name === undefined) return shape;
  const field = at(shape.fields?.get(name) ?? noDates, rest);
  return shape.item === undefined ? field : union(field, { item: at(shape.item, [name, ...rest]) });
}

/** Returns the shape of an object after the field at a path was set. */
export function withField(shape: Shape, [name = "", ...rest]: readonly string[], field: Shape): Shape {
  const previous = shape.fields?.get(name) ?? noDates;
  const fields = new Map(shape.fields).set(name, rest.length === 0 ? field : withField(previous, rest, field));
  return { ...shape, fields };
}

/** Returns whether values of the shape are or contain dates. */
export function containsDate({ isDate = false, item, fields }: Shape): boolean {
  return isDate || (item !== undefined && containsDate(item)) || [...(fields?.values() ?? [])].some(containsDate);
}
