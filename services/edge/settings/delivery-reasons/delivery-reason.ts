import { type Html, html } from "../../pages/html.ts";
import type { Language } from "../../pages/messages/languages.ts";
import { isolated } from "../components/content.ts";
import { translateReason } from "./translate-reason.ts";

/**
 * Renders the reason for the outcome of a delivery in the language of the page, or in English if this version has no
 * translation of it. Renders nothing for an empty reason.
 */
export function deliveryReason(reason: string, language: Language): Html {
  const text = reason === "" ? "" : translateReason(reason, language);
  return text === undefined ? html`<span lang="en">${isolated(reason)}</span>` : isolated(text);
}
