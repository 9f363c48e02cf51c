import { badRequest } from "#shared/errors/service-error.ts";

/** Maps a generated enum's values to the domain's names and back. @param values the enum value of each name */
export function enumNames<Value extends number, Name extends string>(values: Readonly<Record<Name, Value>>) {
  const entries = Object.entries(values) as [Name, Value][];
  return {
    /** @throws ServiceError `bad_request` naming the field if the value has no name */
    nameOf: (value: number, field: string): Name => {
      const found = entries.find(([, candidate]) => candidate === value);
      if (found === undefined) throw badRequest(field, "is missing or unknown");
      return found[0];
    },
    valueOf: (name: Name): Value => values[name],
  };
}
