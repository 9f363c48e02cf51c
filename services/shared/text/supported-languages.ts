/** The languages of the verification pages, as ISO 639-1 codes. The first one is the default of a new store. */
export const supportedLanguages = ["en", "de", "fr", "es", "it", "pt", "nl", "ja"] as const;
