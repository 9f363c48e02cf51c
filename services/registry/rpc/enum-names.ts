import { type GeneratedEnum, namedValues, valueName } from "#shared/enums/named-values.ts";
import { badRequest } from "#shared/errors/service-error.ts";

/** Maps a generated enum's values to the domain's names, which are its own in lower case, and back. */
export function enumNames<Values extends GeneratedEnum>(values: Values) {
  const named = namedValues(values);
  const nameOf = (value: number, field: string) => {
    const name = valueName(values, value);
    if (name === undefined) throw badRequest(field, "is missing or unknown");
    return name;
  };
  return {
    /** @throws ServiceError `bad_request` naming the field if the value has no name */
    nameOf,
    /** Like `nameOf`, but returns undefined for UNSPECIFIED. */
    nameIfSet: (value: number, field: string) => (value === 0 ? undefined : nameOf(value, field)),
    valueOf: (name: keyof typeof named) => named[name],
  };
}
