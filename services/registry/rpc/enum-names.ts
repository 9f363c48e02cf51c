import { badRequest } from "#shared/errors/service-error.ts";

/** A two-way mapping between a generated enum and the domain's names for its values. */
export interface EnumNames<Value extends number, Name extends string> {
  /** @throws ServiceError `bad_request` naming the field for a value without a name */
  nameOf(value: number, field: string): Name;
  valueOf(name: Name): Value;
}

/** Creates the mapping from the value of each name. */
export function enumNames<Value extends number, Name extends string>(
  values: Readonly<Record<Name, Value>>,
): EnumNames<Value, Name> {
  const entries = Object.entries(values) as [Name, Value][];
  return {
    nameOf: (value, field) => {
      const found = entries.find(([, candidate]) => candidate === value);
      if (found === undefined) throw badRequest(field, "is missing or unknown");
      return found[0];
    },
    valueOf: (name) => values[name],
  };
}
