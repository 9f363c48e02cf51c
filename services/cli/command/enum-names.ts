import { type GeneratedEnum, namedValues } from "#shared/enums/named-values.ts";

/** Returns the name of an enum value in lower case, or the number of a value that this version does not know. */
export function enumName(names: GeneratedEnum, value: number): string {
  return String(names[value] ?? value).toLowerCase();
}

/** Returns the values of an enum except `UNSPECIFIED`, keyed by lower-case name: the choices of a command option. */
export function enumChoices(names: GeneratedEnum): ReadonlyMap<string, number> {
  return new Map(Object.entries(namedValues(names)));
}
