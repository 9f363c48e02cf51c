import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { type Html, html } from "../../pages/html.ts";
import { isolated } from "../components/content.ts";

/** Renders who made a change: a person's name, or words for what is not a person of the store. */
export function actorWord(actor: string, language: Language): Html {
  const text = textsFor(language);
  if (actor === "buyer") return html`${text("settings.certificate.buyer")}`;
  if (actor === "storefront") return html`${text("settings.words.actors.storefront")}`;
  if (actor === "certificate-registry") return html`${text("settings.words.actors.service")}`;
  if (actor === "" || actor === "unknown") return html`${text("settings.words.actors.unknown")}`;
  const [, operator] = /^certctl\/(.+)$/.exec(actor) ?? [];
  if (operator !== undefined) return isolated(text("settings.words.actors.operator", { name: operator }));
  const [, user] = /^platform user (.+)$/.exec(actor) ?? [];
  return isolated(user === undefined ? actor : text("settings.words.actors.staff", { number: user }));
}
