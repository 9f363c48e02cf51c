/** A generated enum: its values by name and, in the reverse direction, its names by value. */
export type GeneratedEnum = Readonly<Record<string, string | number>>;

type NameOf<Values> = Lowercase<Exclude<keyof Values & string, "UNSPECIFIED">>;
type ValueOf<Values> = Extract<Values[Exclude<keyof Values, "UNSPECIFIED">], number>;

/** Returns the values of a generated enum except `UNSPECIFIED`, by their names in lower case. */
export function namedValues<Values extends GeneratedEnum>(values: Values) {
  const named = Object.entries(values).flatMap(([name, value]) =>
    typeof value === "number" && value !== 0 ? [[name.toLowerCase(), value]] : [],
  );
  // Exactly these names and values.
  return Object.fromEntries(named) as Readonly<Record<NameOf<Values>, ValueOf<Values>>>;
}

/** Returns the name of a value in lower case; undefined for `UNSPECIFIED` and for a value of a later contract. */
export function valueName<Values extends GeneratedEnum>(values: Values, value: number): NameOf<Values> | undefined {
  const name = value === 0 ? undefined : values[value];
  // Exactly the names of the values.
  return typeof name === "string" ? (name.toLowerCase() as NameOf<Values>) : undefined;
}
