/** A generated enum: its values by name and, in the reverse direction, its names by value. */
export type GeneratedEnum = Readonly<Record<string, string | number>>;

/** Returns the values of a generated enum except `UNSPECIFIED`, with their names in lower case. */
export function namedValues(values: GeneratedEnum): (readonly [name: string, value: number])[] {
  return Object.entries(values).flatMap(([name, value]) =>
    typeof value === "number" && value !== 0 ? [[name.toLowerCase(), value] as const] : [],
  );
}
