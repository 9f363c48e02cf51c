const separator = " - ";

/** The parts of a line item's name. */
export interface LineitemName {
  readonly title: string;
  /** Empty if the name has no variant. */
  readonly variant: string;
}

/** Splits "Title - Variant" at the last " - " and trims both parts. Without a separator the name is the title. */
export function splitLineitemName(name: string): LineitemName {
  const at = name.lastIndexOf(separator);
  if (at < 0) return { title: name.trim(), variant: "" };
  return { title: name.slice(0, at).trim(), variant: name.slice(at + separator.length).trim() };
}
