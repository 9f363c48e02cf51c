import { type PartKind, partKinds, parts } from "./parts.ts";
import { type PlaceholderValues, patternOf } from "./placeholders.ts";

/** A part that was recognized in a reason. */
export interface FoundPart {
  readonly kind: PartKind;
  readonly values: PlaceholderValues;
}

const patterns = partKinds.map((kind) => ({ kind, pattern: patternOf(parts[kind]) }));

/** Splits a reason into its parts: after each full stop or semicolon that a space follows. */
export function splitReason(reason: string): string[] {
  return reason.split(/(?<=[.;]) /);
}

/** Recognizes a part of a reason; returns undefined for one that this version does not know. */
export function findPart(text: string): FoundPart | undefined {
  for (const { kind, pattern } of patterns) {
    const match = pattern.exec(text);
    if (match !== null) return { kind, values: { ...match.groups } };
  }
  return undefined;
}
