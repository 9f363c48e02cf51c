import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cp, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { projectFolder, reportsReady, startService } from "../../deploy/local/stack/service-process.ts";
import { languageProblems } from "../../deploy/texts/language-problems.ts";
import { readMessages, textsFolder } from "../../deploy/texts/text-modules.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { openPagesRig } from "../harness/pages-rig.ts";
import { createExamplePages } from "./example-certificates.ts";
import { type Merchant, signIn } from "./merchant.ts";
import { openBrowser } from "./open-browser.ts";
import { accessibilityProblems, fitsScreen, openPage, viewports, type WatchedPage } from "./pages-in-browser.ts";
import { formWords, pseudoLanguage } from "./pseudo-language.ts";
import { createSettingsStore, lindenPress } from "./settings-store.ts";

// Polish has four plural forms.
const language = "pl";
const english = readMessages(textsFolder, "en");
const polish = pseudoLanguage(language, english);

const rig = await openPagesRig();
const browser = await openBrowser();
let port: number;

// The project with one more file, as a translator adds it, and an edge that runs there.
beforeAll(async () => {
  const folder = await openTemporaryFolder("new-language", afterAll);
  for (const part of ["package.json", "services", "proto/gen", "deploy/texts"])
    await cp(path.join(projectFolder, part), path.join(folder, part), { recursive: true });
  await symlink(path.join(projectFolder, "node_modules"), path.join(folder, "node_modules"));
  await writeFile(path.join(folder, `services/shared/texts/${language}.json`), JSON.stringify(polish));
  await promisify(execFile)(process.execPath, ["deploy/texts/generate.ts"], { cwd: folder });
  const keyFile = path.join(folder, "cursor-key");
  await writeFile(keyFile, randomBytes(32));
  const operationsPort = await freePort();
  port = await freePort();
  const edge = await startService(
    {
      name: "edge",
      script: path.join(folder, "services/edge/main.ts"),
      env: {
        EDGE_REGISTRY_ADDRESS: rig.registry.address,
        EDGE_CURSOR_KEY_FILES: keyFile,
        EDGE_GRPC_TLS: "off",
        EDGE_HOST: "127.0.0.1",
        EDGE_PORT: String(port),
        EDGE_OPERATIONS_PORT: String(operationsPort),
      },
      isReady: () => reportsReady(operationsPort),
    },
    path.join(folder, "edge.log"),
  );
  afterAll(() => edge.stop());
});

// Sentences, because a word such as "Store" may also be part of a class name or of the store's data.
const sentences = Object.values(english).filter((text) => text.includes(" ") && !text.includes("{"));

/** Checks that a page is in the new language, without a text in English, is accessible and fits the screen. */
async function expectTranslated({ page, problems }: WatchedPage): Promise<void> {
  const content = await page.content();
  expect(sentences.filter((sentence) => content.includes(sentence))).toEqual([]);
  expect(await page.evaluate("document.documentElement.lang")).toBe(language);
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await fitsScreen(page)).toBe(true);
  expect(problems).toEqual([]);
}

test("the pseudo-language is complete, and its texts are at least 40 % longer", () => {
  expect(languageProblems(language, polish, english)).toEqual([]);
  const length = (texts: Readonly<Record<string, string>>) => Object.values(texts).join("").length;
  expect(length(polish)).toBeGreaterThan(1.4 * length(english));
});

test("buyers see the verification page and the report form in a language that only has a file of texts", async () => {
  const examples = await createExamplePages(rig);
  const watched = await openPage(browser, { ...viewports.phone, locale: language });
  const { page, visit } = watched;
  const here = (url: string) => `http://127.0.0.1:${port}${new URL(url).pathname}`;
  for (const state of ["valid", "revoked", "expired", "sample"] as const) {
    await visit(`${here(examples[state])}?lang=${language}`);
    await expectTranslated(watched);
  }
  await visit(`${here(examples.valid)}/report?lang=${language}`);
  await expectTranslated(watched);
  const submit = () => Promise.all([page.waitForEvent("load"), page.locator("button[type=submit]").click()]);
  await page.evaluate("document.querySelector('form').noValidate = true");
  await submit();
  expect(await page.locator("[data-mistakes] p").innerText()).toContain(formWords.few);
  await page.locator("input[type=radio]").first().check();
  await page.evaluate("document.querySelector('form').noValidate = true");
  await submit();
  expect(await page.locator("[data-mistakes] p").innerText()).toContain(formWords.one);
});

test("merchants see the settings in a language that only has a file of texts", async () => {
  const { storeId, certificateId } = await createSettingsStore(rig, lindenPress);
  const merchant: Merchant = await signIn(rig, browser, storeId, { ...viewports.phone, locale: language });
  for (const settingsPath of ["", "/keys", "/webhook", "/storefront", "/store", `/certificates/${certificateId}`]) {
    await merchant.visit(`http://127.0.0.1:${port}/settings${settingsPath}?lang=${language}`);
    await expectTranslated(merchant);
  }
});
