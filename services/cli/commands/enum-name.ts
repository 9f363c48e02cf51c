/** A value of a contract's enum as options and lines name it, in lower case; one that this version does not know, as its number. */
export function enumName(names: Readonly<Record<number, string>>, value: number): string {
  return (names[value] ?? String(value)).toLowerCase();
}
