import { erasedPerson, erasedText, type PersonTexts } from "./person-texts.ts";
import type { RewriteTexts, TextDocument, TextKind } from "./personal-data.ts";

/** Returns the new text of one field of a document. */
type EraseText = (person: PersonTexts, text: string, field: string, document: TextDocument) => string;

const eraseMentions: EraseText = (person, text) => person.eraseFrom(text);

const erasers: Readonly<Record<TextKind, EraseText>> = {
  reports: (person, text, field, { texts }) => {
    if (!person.isPerson({ name: "", email: texts.reporterEmail ?? "" })) return person.eraseFrom(text);
    // The person wrote this report, and may have described anything in it.
    if (field === "reporterEmail") return erasedPerson.email;
    return field === "content" ? erasedText : person.eraseFrom(text);
  },
  history: eraseMentions,
  store_history: eraseMentions,
  api_keys: eraseMentions,
  // A receiver's reply can contain any part of the message, in any encoding.
  deliveries: (person, text, field, { isOfErasedCertificate }) =>
    field === "outcome.replyExcerpt" && isOfErasedCertificate ? "" : person.eraseFrom(text),
  triggers: (person, text, field, { isOfErasedCertificate }) =>
    field === "lastAttempt.replyExcerpt" && isOfErasedCertificate ? "" : person.eraseFrom(text),
  // An answer contains a certificate, whose reason for the revocation may name the person.
  answers: (person, text) => person.named(person.namesIn(text)).eraseFromJson(text),
  storefront_orders: (person, text, field, { texts: { record = "" } }) => {
    if (field === "record") return person.eraseFromJson(text);
    return person.eraseFromJson(record) === record ? text : "";
  },
  storefront_messages: (person, text) => (text === "" ? text : person.eraseFromJson(text)),
  // A message with erased parts would be of no use, so all of it is erased.
  quarantine: (person, text) => (person.isMentionedInBytes(Buffer.from(text)) ? "" : text),
};

/** Returns a function that erases a person from documents of one kind. */
export function rewriteFor(kind: TextKind, person: PersonTexts): RewriteTexts {
  return (document) => {
    const changed = Object.entries(document.texts).flatMap(([field, text]) => {
      const rewritten = erasers[kind](person, text, field, document);
      return rewritten === text ? [] : [[field, rewritten] as const];
    });
    return changed.length === 0 ? undefined : Object.fromEntries(changed);
  };
}
