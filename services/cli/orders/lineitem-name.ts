const SEPARATOR = " - ";

/** A line item's name taken apart. */
export interface LineitemName {
  readonly title: string;
  /** Empty for none. */
  readonly variant: string;
}

/** Splits "Title - Variant" at its last " - "; without one it is all title. White space at the ends goes. */
export function splitLineitemName(name: string): LineitemName {
  const at = name.lastIndexOf(SEPARATOR);
  if (at < 0) return { title: name.trim(), variant: "" };
  return { title: name.slice(0, at).trim(), variant: name.slice(at + SEPARATOR.length).trim() };
}
