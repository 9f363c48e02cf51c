import { type PartKind, partKinds, parts } from "./parts.ts";
import { type PlaceholderValues, patternOf } from "./placeholders.ts";

/** A recognized part of the reason for a delivery's outcome. */
export interface FoundPart {
  readonly kind: PartKind;
  readonly values: PlaceholderValues;
}

const patterns = partKinds.map((kind) => ({ kind, pattern: patternOf(parts[kind]) }));

/** Splits a reason into its parts: after each full stop or semicolon that is followed by a space. */
export function splitReason(reason: string): string[] {
  return reason.split(/(?<=[.;]) /);
}

/** Returns the kind and the values of a part of a reason; undefined for a part that this version does not know. */
export function findPart(text: string): FoundPart | undefined {
  for (const { kind, pattern } of patterns) {
    const match = pattern.exec(text);
    if (match !== null) return { kind, values: { ...match.groups } };
  }
  return undefined;
}
