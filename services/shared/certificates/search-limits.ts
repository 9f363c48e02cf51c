/** Limits of a search for certificates. */
export const searchLimits = {
  /** Maximum length of a search in UTF-16 code units; an e-mail address fits. */
  charactersMax: 255,
  /** Words beyond this number are ignored. */
  wordsMax: 16,
} as const;
