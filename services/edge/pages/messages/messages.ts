/** The texts of the pages in one language. Every language has every text; the compiler and a test check this. */
export interface Messages {
  /** The name of the language in the language itself. */
  readonly languageName: string;
  readonly certificate: string;
  /** The states of a certificate: a word or two for the seal, and an explanation. */
  readonly states: Readonly<Record<"active" | "revoked" | "expired" | "sample", StateTexts>>;
  readonly labels: Readonly<
    Record<"serial" | "variant" | "edition" | "issued" | "validUntil" | "owner" | "revoked" | "reason", string>
  >;
  /** Shown in place of an expiry date if the certificate does not expire. */
  readonly unlimited: string;
  readonly issuedBy: (store: string) => string;
  /** Translations of the default reasons for a revocation, by the English text that is stored. */
  readonly revocationReasons: Readonly<Record<"Refund" | "Order cancelled" | "Revoked by the store", string>>;
  readonly scanToVerify: string;
  readonly print: string;
  readonly language: string;
  readonly skipToContent: string;
  readonly report: ReportTexts;
  /** The texts of the error pages. */
  readonly problems: Readonly<Record<ProblemKind, ProblemTexts>>;
}

/** Why a page cannot be shown. */
export type ProblemKind = "notFound" | "unavailable" | "limited" | "invalid" | "internal";

interface StateTexts {
  readonly name: string;
  readonly explanation: string;
}

interface ProblemTexts {
  readonly title: string;
  readonly explanation: string;
}

interface ReportTexts {
  readonly link: string;
  readonly title: string;
  readonly introduction: (store: string) => string;
  readonly kindLabel: string;
  readonly kinds: Readonly<Record<"counterfeit" | "mismatch" | "stolen" | "wrong_details" | "other", string>>;
  readonly contentLabel: string;
  /** @param max the formatted maximum number of characters */
  readonly contentHint: (max: string) => string;
  readonly emailLabel: string;
  readonly emailHint: string;
  /** Label of the honeypot field, which people do not see and robots fill in. */
  readonly trapLabel: string;
  readonly submit: string;
  readonly back: string;
  /** The heading above the form's validation errors, by the plural category of the number of errors. */
  readonly mistakes: Readonly<{ one?: string; many?: string; other: string }>;
  readonly kindMissing: string;
  readonly contentMissing: string;
  readonly contentTooLong: (max: string) => string;
  readonly emailInvalid: string;
  /** Shown if the form is too old, was sent too soon, or was not served for this certificate. */
  readonly formExpired: string;
  readonly alreadySent: string;
  readonly limitReached: string;
  readonly thanksTitle: string;
  readonly thanks: (store: string) => string;
}
