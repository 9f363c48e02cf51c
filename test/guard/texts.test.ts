import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { supportedLanguages } from "#shared/texts/languages.ts";
import { type Messages, messagesIn } from "#shared/texts/text-files.ts";
import { languageProblems } from "../../deploy/texts/language-problems.ts";
import {
  languagesIn,
  languagesModule,
  readMessages,
  sortedMessages,
  textFilesModule,
  textsFolder,
} from "../../deploy/texts/text-modules.ts";

const services = fileURLToPath(new URL("../../services", import.meta.url));
const english = readMessages(textsFolder, "en");

// Names and terms that may be the same in English and in another language.
const sharedTerms =
  /^(API|Webhooks?|SKU.*|Status|Menu|Plan|Certificates?|Certificat|Open|ID|1 .*|Basic.*|Pro.*|Edition|Initialen|Logo)$/;
const sharedKeys = /^pages\.(report\.contentLabel|revocationReasons\..*|labels\.(edition|variant))$/;

describe.each(supportedLanguages)("%s.json", (language) => {
  const messages: Messages = messagesIn(language);
  const entries = Object.entries(messages);

  test("has each text of English, with its arguments and the plural forms of the language", () => {
    expect(languageProblems(language, messages, english)).toEqual([]);
  });

  test("is translated", () => {
    if (language === "en") return;
    const same = entries.filter(([key, message]) => english[key] === message && !sharedTerms.test(message));
    expect(same.filter(([key]) => !sharedKeys.test(key))).toEqual([]);
  });

  test("is sorted by key", () => {
    expect(readFileSync(path.join(textsFolder, `${language}.json`), "utf8")).toBe(sortedMessages(messages));
  });
});

test("in French, no line can begin with a mark or end with an opening quotation mark", () => {
  const breaking = Object.entries(messagesIn("fr")).filter(([, message]) => / [:;!?»]|« /.test(message));
  expect(breaking).toEqual([]);
});

test.each(supportedLanguages)(
  "in %s, no line can end after the first letter of e-mail or within Mithör-Token",
  (language) => {
    const breaking = Object.entries(messagesIn(language)).filter(([, message]) =>
      /\b[Ee]-[Mm]ail|Mithör-/.test(message),
    );
    expect(breaking).toEqual([]);
  },
);

test("each text is used", () => {
  const used = new Set<string>();
  const patterns: RegExp[] = [];
  for (const file of globSync("**/*.ts", { cwd: services })) {
    if (file.endsWith(".test.ts") || file === "shared/texts/text-files.ts") continue;
    const source = readFileSync(path.join(services, file), "utf8");
    for (const [, literal = ""] of source.matchAll(/"([\w.-]+)"/g)) used.add(literal);
    // A key with a part that is computed, such as `settings.store.${field}`: the part has no dot.
    for (const [, template = ""] of source.matchAll(/`((?:[\w-]+\.)+(?:[\w.-]|\$\{[^}`]*\})*)`/g))
      patterns.push(new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\$\{[^}]*\}/g, "[^.]+")}$`));
  }
  const unused = Object.keys(english).filter((key) => !used.has(key) && !patterns.some((pattern) => pattern.test(key)));
  expect(unused).toEqual([]);
});

test("the modules are those that npm run generate writes", () => {
  const languages = languagesIn(textsFolder, supportedLanguages);
  const module = (name: string) => readFileSync(path.join(textsFolder, name), "utf8");
  expect(module("languages.ts")).toBe(languagesModule(languages));
  expect(module("text-files.ts")).toBe(textFilesModule(languages, english));
});
