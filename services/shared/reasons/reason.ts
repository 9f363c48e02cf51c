import type { TextArguments, TextKey } from "../texts/text-files.ts";

/**
 * Why something was refused, failed or was left out, as it is stored and sent. Words are made where a person reads
 * them; see reason-text.ts. A reason contains no personal data and no secret.
 */
export interface Reason {
  /** A {@link ReasonCode}, or a code of another version. */
  readonly code: string;
  /** The values in the text of the code. */
  readonly params: Readonly<Record<string, string>>;
}

/** Identifies exactly one condition. The codes are the keys `reason.<code>` of the texts. */
export type ReasonCode = TextKey extends infer Key ? (Key extends `reason.${infer Code}` ? Code : never) : never;

// Extracted rather than intersected: an intersection of two unions has a member for each pair.
type KeyWithValues<Code extends ReasonCode> = Extract<keyof TextArguments, `reason.${Code}`>;

/** The values of the text of a code; a number also for a placeholder without a format, such as a status. */
type Values<Key extends keyof TextArguments> = {
  readonly [Name in keyof TextArguments[Key]]: TextArguments[Key][Name] | number;
};

/** The parameters of a code: those of its text, or none. */
export type ReasonParams<Code extends ReasonCode> = [KeyWithValues<Code>] extends [never]
  ? []
  : [params: Values<KeyWithValues<Code>>];

export function distinctReasons(reasons: readonly Reason[]): readonly Reason[] {
  return [...new Map(reasons.map((each) => [JSON.stringify(each), each])).values()];
}

/** Creates a reason. A code without a text in every language, or without its parameters, does not compile. */
export function reason<Code extends ReasonCode>(code: Code, ...[params]: ReasonParams<Code>): Reason {
  const entries = Object.entries<unknown>(params ?? {}).map(([name, value]) => [name, String(value)]);
  return { code, params: Object.fromEntries(entries) };
}
