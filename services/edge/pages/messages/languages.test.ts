import { describe, expect, test } from "vitest";
import { supportedLanguages } from "#shared/text/supported-languages.ts";
import { formatDate, formatNumber, pluralText } from "./format.ts";
import { directionOf, messagesOf, supportedLanguage } from "./languages.ts";

/** Lists the texts in one language, each with its path; functions are called with a placeholder. */
function textsIn(value: unknown, path = ""): [path: string, text: string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value === "function") return [[path, String(value("‹…›"))]];
  return Object.entries(value ?? {}).flatMap(([name, inner]) => textsIn(inner, path === "" ? name : `${path}.${name}`));
}

// Plural forms differ between languages; only `other` exists in every language.
const isOptional = (path: string) => /^report\.mistakes\.(?!other)/.test(path);
const english = new Map(textsIn(messagesOf.en).filter(([path]) => !isOptional(path)));

describe.each(supportedLanguages)("%s", (language) => {
  const texts = new Map(textsIn(messagesOf[language]));

  test("has the same text keys as English, and no empty text", () => {
    const paths = [...texts.keys()].filter((path) => !isOptional(path));
    expect(paths.sort()).toEqual([...english.keys()].sort());
    for (const [path, text] of texts) expect(text.trim(), path).not.toBe("");
  });

  test("inserts the value wherever the English text does", () => {
    for (const [path, text] of english) if (text.includes("‹…›")) expect(texts.get(path), path).toContain("‹…›");
  });

  test("has the plural forms that the language requires for one to three validation errors", () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    const { mistakes } = messagesOf[language].report;
    // At most three fields of the form can be invalid, so plural categories of larger numbers are not needed.
    const needed = new Set([1, 2, 3].map((count) => new Intl.PluralRules(language).select(count)));
    expect(pluralCategories).toEqual(expect.arrayContaining([...needed]));
    for (const category of needed) expect(mistakes).toHaveProperty(category);
  });

  test("has no untranslated text", () => {
    if (language === "en") return;
    // Texts that may be the same as in English.
    const shared = /^(report\.contentLabel|revocationReasons\..*|labels\.(edition|variant))$/;
    const same = [...english].filter(([path, text]) => texts.get(path) === text && !shared.test(path));
    expect(same).toEqual([]);
  });
});

test("formats dates and numbers, and chooses plural forms, by the rules of the given language", () => {
  const date = new Date("2026-03-14T23:59:59.999Z");
  expect(supportedLanguages.map((language) => formatDate(date, language))).toEqual([
    "March 14, 2026",
    "14. März 2026",
    "14 mars 2026",
    "14 de marzo de 2026",
    "14 marzo 2026",
    "14 de março de 2026",
    "14 maart 2026",
    "2026年3月14日",
  ]);
  expect(formatNumber(4_000, "de")).toBe("4.000");
  expect([1, 2].map((count) => pluralText({ one: "one", other: "more" }, count, "en"))).toEqual(["one", "more"]);
  expect(pluralText({ other: "all" }, 1, "ja")).toBe("all");
});

test.each([
  ["de-AT", "de"],
  ["PT-br", "pt"],
  ["zh-Hant", undefined],
  ["", undefined],
])("supportedLanguage(%j) returns %j", (tag, language) => {
  expect(supportedLanguage(tag)).toBe(language);
});

test("directionOf returns rtl for Arabic and ltr for Japanese", () => {
  expect([directionOf("ar"), directionOf("ja")]).toEqual(["rtl", "ltr"]);
});
