/** The languages of verification pages and settings, as ISO 639-1 codes. The first is the default for new stores. */
export const supportedLanguages = ["en", "de", "fr", "es", "it", "pt", "nl", "ja"] as const;
