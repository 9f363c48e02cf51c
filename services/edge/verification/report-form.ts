import { canReceiveMail } from "#shared/email/email-address.ts";
import { textLimits } from "#shared/text/text-limits.ts";

/** The kinds of problems, in the order in which the form lists them. */
export const reportKinds = ["counterfeit", "mismatch", "stolen", "wrong_details", "other"] as const;

type ReportKind = (typeof reportKinds)[number];

/** The entries of a report form. */
export interface ReportEntries {
  readonly kind: ReportKind | undefined;
  readonly content: string;
  readonly email: string;
  /** Signed token of the form, with a limited lifetime; see FormTokens. */
  readonly token: string;
  /** A honeypot: people do not see the field, so only robots fill it in. */
  readonly trap: string;
}

/** An error in an entry, or the reason why the whole form is refused. */
export type ReportMistake =
  | "kindMissing"
  | "contentMissing"
  | "contentTooLong"
  | "emailInvalid"
  | "sentTooSoon"
  | "formExpired"
  | "alreadySent"
  | "limitReached";

/** The names of the fields in the form. `website` is the honeypot. */
export const reportFields = {
  kind: "kind",
  content: "content",
  email: "email",
  token: "token",
  trap: "website",
} as const;

/** The entries of an empty form. */
export const noEntries: ReportEntries = { kind: undefined, content: "", email: "", token: "", trap: "" };

/** Reads the entries of a form; line breaks become `\n`, and spaces around the e-mail address are dropped. */
export function entriesOf(form: URLSearchParams): ReportEntries {
  const textOf = (name: string) => (form.get(name) ?? "").toWellFormed();
  const kind = reportKinds.find((candidate) => candidate === form.get(reportFields.kind));
  return {
    kind,
    content: textOf(reportFields.content).replaceAll(/\r\n?/g, "\n"),
    email: textOf(reportFields.email).trim(),
    token: textOf(reportFields.token),
    trap: textOf(reportFields.trap),
  };
}

/** Returns the errors in the entries; the token and the field `website` are not checked. */
export function mistakesIn({ kind, content, email }: ReportEntries): ReportMistake[] {
  return [
    ...(kind === undefined ? (["kindMissing"] as const) : []),
    ...(content.trim() === "" ? (["contentMissing"] as const) : []),
    ...(content.length > textLimits.reportContent.max ? (["contentTooLong"] as const) : []),
    ...(email !== "" && !canReceiveMail(email) ? (["emailInvalid"] as const) : []),
  ];
}
