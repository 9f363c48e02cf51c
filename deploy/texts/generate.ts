import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { supportedLanguages } from "#shared/texts/languages.ts";
import {
  languagesIn,
  languagesModule,
  readMessages,
  sortedMessages,
  textFilesModule,
  textsFolder,
} from "./text-modules.ts";

// Sorts the files of the languages, and writes the modules that import them.
const languages = languagesIn(textsFolder, supportedLanguages);
for (const language of languages) {
  const file = path.join(textsFolder, `${language}.json`);
  const sorted = sortedMessages(readMessages(textsFolder, language));
  if ((await readFile(file, "utf8")) !== sorted) await writeFile(file, sorted);
}
await writeFile(path.join(textsFolder, "languages.ts"), languagesModule(languages));
await writeFile(path.join(textsFolder, "text-files.ts"), textFilesModule(languages, readMessages(textsFolder, "en")));
