/** A protobuf enum as generated: its names by value and its values by name. */
export type ProtoEnum = Readonly<Record<string | number, string | number>>;

/** Returns the name of an enum value in lower case, or the number of a value that this version does not know. */
export function enumName(names: ProtoEnum, value: number): string {
  return String(names[value] ?? value).toLowerCase();
}

/** Returns the values of an enum except `UNSPECIFIED`, keyed by lower-case name: the choices of a command option. */
export function enumChoices(names: ProtoEnum): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(names).flatMap(([name, value]) =>
      typeof value === "number" && value !== 0 ? [[name.toLowerCase(), value]] : [],
    ),
  );
}
