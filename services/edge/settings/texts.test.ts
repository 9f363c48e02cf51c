import { globSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { supportedLanguages } from "#shared/text/supported-languages.ts";

/** Lists the texts in one language, each with its path; functions are called with a placeholder. */
function textsIn(value: unknown, path = ""): [path: string, text: string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value === "function") return [[path, String(value("‹…›"))]];
  return Object.entries(value ?? {}).flatMap(([name, inner]) => textsIn(inner, path === "" ? name : `${path}.${name}`));
}

// Names and terms that may be the same in English and in another language.
const shared =
  /^(API|Webhooks?|SKU.*|Status|Menu|Plan|Certificates?|Certificat|Open|ID|1 .*|Basic.*|Pro.*|Edition|Initialen|Logo)$/;

const files = globSync("**/*texts.ts", { cwd: import.meta.dirname });

describe.each(files)("%s", async (file) => {
  const tables: Record<string, unknown> = await import(new URL(file, import.meta.url).href);
  const table = Object.values(tables).find((value) => Object.hasOwn(Object(value), "en"));
  const textsOf = (language: string) => new Map(textsIn(Object(table)[language]));
  const english = textsOf("en");

  test.each(supportedLanguages)("has every text in %s", (language) => {
    const texts = textsOf(language);
    expect([...texts.keys()]).toEqual([...english.keys()]);
    for (const [path, text] of texts) {
      expect(text.trim(), path).not.toBe("");
      if (english.get(path)?.includes("‹…›")) expect(text, path).toContain("‹…›");
    }
  });

  test.each(supportedLanguages.filter((language) => language !== "en"))("is translated into %s", (language) => {
    const texts = textsOf(language);
    const same = [...english].filter(([path, text]) => texts.get(path) === text && !shared.test(text));
    expect(same).toEqual([]);
  });
});

test("finds more than ten files with translated texts", () => {
  expect(files.length).toBeGreaterThan(10);
});
