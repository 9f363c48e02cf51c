import { expect, test } from "vitest";
import { supportedLanguages } from "#shared/texts/languages.ts";
import { formatDate, formatNumber } from "./format.ts";
import { directionOf, supportedLanguage } from "./languages.ts";

test("formats dates and numbers by the rules of the given language", () => {
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
