import { expect, test } from "vitest";
import { supportedLanguages } from "#shared/texts/languages.ts";
import { colonOf, commaOf } from "./format.ts";

test.each(supportedLanguages)("joins a label and its value as the language writes a colon: %s", (language) => {
  const special: Readonly<Partial<Record<typeof language, string>>> = {
    // A no-break space, so that no line begins with the colon.
    fr: "Statut\u00A0: valide",
    ja: "Statut：valide",
  };
  expect(`Statut${colonOf(language)}valide`).toBe(special[language] ?? "Statut: valide");
});

test.each(supportedLanguages)("separates the entries of an enumeration as the language does: %s", (language) => {
  expect(["A2", "B5"].join(commaOf(language))).toBe(language === "ja" ? "A2、B5" : "A2, B5");
});
