/** Maximum number of previous secrets of a trigger, which limits the size of the trigger's document. */
export const previousSecretsMax = 4;

/** A replaced secret, which continues to sign messages until the given time. */
export interface PreviousSecret {
  readonly text: string;
  readonly until: Date;
}

/** The signing secrets of a trigger. */
export interface SigningSecrets {
  readonly active: string;
  /** Replaced secrets, the most recent one first; any of them may have expired. */
  readonly previous: readonly PreviousSecret[];
}

/**
 * Replaces the active secret. Drops expired secrets, and the oldest ones beyond {@link previousSecretsMax}. The others
 * expire at their own times: the receiver may still use any of them, for example if the page that showed a newer secret
 * was closed too early.
 */
export function replaceSecret(
  secrets: SigningSecrets,
  { next, previousUntil }: { readonly next: string; readonly previousUntil: Date },
  now: Date,
): SigningSecrets {
  const replaced = { text: secrets.active, until: previousUntil };
  return { active: next, previous: [replaced, ...unexpired(secrets, now)].slice(0, previousSecretsMax) };
}

/** Returns the secrets that sign messages, the active one first. */
export function signingTexts(secrets: SigningSecrets, now: Date): string[] {
  return [secrets.active, ...unexpired(secrets, now).map(({ text }) => text)];
}

/** Returns all secrets as strings, including the expired ones. */
export function allTexts({ active, previous }: SigningSecrets): string[] {
  return [active, ...previous.map(({ text }) => text)];
}

/** Applies `change` to the text of each secret. */
export function withTexts({ active, previous }: SigningSecrets, change: (text: string) => string): SigningSecrets {
  return { active: change(active), previous: previous.map(({ text, until }) => ({ text: change(text), until })) };
}

function unexpired({ previous }: SigningSecrets, now: Date): PreviousSecret[] {
  return previous.filter(({ until }) => until > now);
}
