import { EditionStyle } from "#gen/registry/v1/store_admin_service_pb.js";
import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import type { VerificationPage } from "../registry-client/verification-page.ts";

/** Returns the edition number in the store's style, in the language of the page; empty if there is none. */
export function editionText({ edition, editionParts }: VerificationPage, language: Language): string {
  const text = textsFor(language);
  if (edition === "") return "";
  if (editionParts?.style === EditionStyle.NO_OF) return text("pages.editions.no_of", editionParts);
  if (editionParts?.style === EditionStyle.NUMBER) return text("pages.editions.number", editionParts);
  return `${text("pages.labels.edition")} ${edition}`;
}
