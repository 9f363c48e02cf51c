import { type GeneratedEnum, namedValues } from "#shared/enums/named-values.ts";
import { badRequest } from "#shared/errors/service-error.ts";

/** Maps a generated enum's values to the domain's names, which are its own in lower case, and back. */
export function enumNames<Values extends GeneratedEnum>(values: Values) {
  return enumTable(namedValues(values));
}

/** Maps a generated enum's values to the domain's names and back. @param values the enum value of each name */
export function enumTable<Value extends string | number, Name extends string>(values: Readonly<Record<Name, Value>>) {
  const entries = Object.entries(values) as [Name, Value][];
  const nameOf = (value: Value | number, field: string): Name => {
    const found = entries.find(([, candidate]) => candidate === value);
    if (found === undefined) throw badRequest(field, "is missing or unknown");
    return found[0];
  };
  return {
    /** @throws ServiceError `bad_request` naming the field if the value has no name */
    nameOf,
    /** Like `nameOf`, but returns undefined for UNSPECIFIED. */
    nameIfSet: (value: Value | number, field: string) => (value === 0 ? undefined : nameOf(value, field)),
    valueOf: (name: Name): Value => values[name],
  };
}
