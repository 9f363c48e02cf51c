import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { type Html, isolated } from "../../pages/html.ts";

/** Returns who made a change: a person's name, or words for what is not a person of the store. */
export function actorName(actor: string, language: Language): string {
  const text = textsFor(language);
  if (actor === "buyer") return text("settings.certificate.buyer");
  if (actor === "storefront") return text("settings.words.actors.storefront");
  if (actor === "certificate-registry") return text("settings.words.actors.service");
  if (actor === "" || actor === "unknown") return text("settings.words.actors.unknown");
  const [, operator] = /^certctl\/(.+)$/.exec(actor) ?? [];
  if (operator !== undefined) return text("settings.words.actors.operator", { name: operator });
  const [, user] = /^platform user (.+)$/.exec(actor) ?? [];
  return user === undefined ? actor : text("settings.words.actors.staff", { number: user });
}

export function actorWord(actor: string, language: Language): Html {
  return isolated(actorName(actor, language));
}
