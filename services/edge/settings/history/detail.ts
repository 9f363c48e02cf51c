import type { Language } from "#shared/texts/languages.ts";
import { receivedText, textsFor } from "#shared/texts/texts.ts";
import { colonOf, formatNumber } from "../../pages/format.ts";
import { type Html, html, isolated } from "../../pages/html.ts";
import { supportedLanguage } from "../../pages/languages.ts";
import { reportReference } from "../../pages/report-reference.ts";
import { code, link } from "../components/content.ts";
import { actorWord } from "../words/actor.ts";

/** Names of what the entries' ids stand for, by id. */
export type NamesById = ReadonlyMap<string, string>;

type Words = (value: string, language: Language, names: NamesById) => Html | string | undefined;

const named: Words = (value, _language, names) => {
  const name = names.get(value);
  return name === undefined ? code(value) : isolated(name);
};

// How the page shows the value of a detail; `undefined`: not at all.
const words: Readonly<Record<string, Words>> = {
  for: actorWord,
  language: (value) => textsFor(supportedLanguage(value) ?? "en")("pages.languageName"),
  editionStyle: (value, language) => receivedText(language, `settings.store.editions.${value}`),
  ownerDisplay: (value, language) => receivedText(language, `settings.store.owners.${value}`),
  format: (value, language) =>
    receivedText(language, `settings.webhook.${value}`) ?? receivedText(language, `settings.triggers.${value}`),
  graceSeconds: (value, language) =>
    receivedText(language, `settings.keys.graces.${value}`) ?? `${formatNumber(Number(value), language)} s`,
  count: (value, language) => formatNumber(Number(value), language),
  // The names of rules are internal; the page of the rules shows what they select.
  names: (value, language) => formatNumber(value.split(",").length, language),
  displayName: (value) => isolated(value),
  shop: (value) => isolated(value),
  product: (value) => isolated(value),
  keyId: named,
  newKeyId: named,
  trigger: named,
  reportId: (value) => code(reportReference(value)),
  import: (value, language) => link(`/certificates/import/${value}`, textsFor(language)("settings.history.open")),
  logo: () => undefined,
};

/** Renders a fact of an entry with its label; undefined if it says nothing to a merchant. */
export function detail(fact: string, value: string, language: Language, names: NamesById): Html | undefined {
  if (value === "") return undefined;
  // A later version of the registry may write other facts and values.
  const shown =
    receivedText(language, `settings.history.values.${fact}.${value}`) ??
    (Object.hasOwn(words, fact) ? words[fact]?.(value, language, names) : code(value));
  if (shown === undefined) return undefined;
  const label = receivedText(language, `settings.history.details.${fact}`) ?? fact;
  return html`${label}${colonOf(language)}${shown}`;
}
