import { canReceiveMail } from "#shared/email/email-address.ts";
import { type FormMistake, FormRefusal, type SentForm, type Visit } from "../model/settings-page.ts";

/**
 * Requires that a form has these entries.
 *
 * @param email a field that must be an email address that could receive mail, unless it is empty
 * @param further mistakes in other fields, which are shown too
 * @throws FormRefusal
 */
export function requireEntries(
  { text }: Visit,
  form: SentForm,
  fields: { readonly required: readonly string[]; readonly email?: string },
  further: readonly FormMistake[] = [],
): void {
  const missing = fields.required.filter((field) => form.text(field) === "");
  const invalid = [fields.email ?? []]
    .flat()
    .filter((field) => form.text(field) !== "" && !canReceiveMail(form.text(field)));
  const mistakes = [
    ...missing.map((field) => ({ field, text: text("settings.words.required") })),
    ...invalid.map((field) => ({ field, text: text("settings.certificates.emailInvalid") })),
    ...further,
  ];
  if (mistakes.length > 0) throw new FormRefusal(mistakes);
}
