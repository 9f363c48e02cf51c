import { beforeAll, describe, expect, test } from "vitest";
import { pages } from "../../services/edge/settings/pages.ts";
import { setExampleImage } from "../harness/example-images.ts";
import { sharedPagesRig } from "../harness/pages-rig.ts";
import { signIn } from "./merchant.ts";
import { openBrowser } from "./open-browser.ts";
import { fitsScreen, keyboardProblems, viewports } from "./pages-in-browser.ts";
import { createSettingsStore, lindenPress, type StoreTexts, setExampleLogo } from "./settings-store.ts";

const rig = await sharedPagesRig();
const browser = await openBrowser();
const linden = await createSettingsStore(rig, lindenPress, "linden-press.example");
await setExampleLogo(rig, linden.storeId);
await setExampleImage(rig, linden.storeId);

type SettingsStore = typeof linden;

/** The path of each settings page, without the prefix `/settings`, by the page's name in screenshots. */
const paths: Readonly<Record<string, (store: SettingsStore) => string>> = {
  overview: () => "",
  certificates: () => "/certificates",
  certificate: ({ certificateId }) => `/certificates/${certificateId}`,
  revoked: ({ revokedId }) => `/certificates/${revokedId}`,
  issue: () => "/certificates/issue",
  print: () => "/certificates/print",
  sheets: ({ certificateId }) => `/certificates/sheets?certificate=${certificateId}`,
  upload: () => "/certificates/import",
  import: ({ importId }) => `/certificates/import/${importId}`,
  products: () => "/products",
  product: ({ certificateId }) => `/products/product?certificate=${certificateId}`,
  reports: () => "/reports",
  storefront: () => "/storefront",
  "storefront-rule": ({ ruleName }) => `/storefront/rules/${ruleName}`,
  "storefront-problems": () => "/storefront/problems",
  "storefront-requests": () => "/storefront/requests",
  webhook: () => "/webhook",
  deliveries: () => "/deliveries",
  triggers: () => "/triggers",
  "trigger-log": () => "/triggers/log",
  keys: () => "/keys",
  store: () => "/store",
  plan: () => "/plan",
  history: () => "/history",
};

test("the tests in this file cover every settings page except the downloads", () => {
  const ids = { certificateId: ":certificate", revokedId: ":certificate", importId: ":import", ruleName: ":rule" };
  const parameters = { storeId: "", ...ids };
  const tested = Object.values(paths).map((pathOf) => pathOf(parameters).split("?")[0]);
  const shown = pages.filter(({ download }) => download === undefined).map(({ path }) => path);
  expect(new Set(tested)).toEqual(new Set(shown));
});

describe.each([
  ["phone", "de", viewports.phone],
  ["desktop", "ja", viewports.desktop],
  ["desktop-dark", "en", { ...viewports.desktop, colorScheme: "dark" as const }],
])("on a %s in %s", (name, language, options) => {
  test("every page is accessible and fits the screen", async () => {
    const merchant = await signIn(rig, browser, linden.storeId, { ...options, locale: language });
    for (const [page, pathOf] of Object.entries(paths)) {
      await merchant.open(pathOf(linden));
      await merchant.inspect(`${page}-${name}-${language}`);
    }
    expect(merchant.problems).toEqual([]);
  }, 300_000);
});

test("every control of every page can be reached with the keyboard, and shows the focus", async () => {
  const merchant = await signIn(rig, browser, linden.storeId, { ...viewports.desktop, locale: "en" });
  const problems: Record<string, readonly string[]> = {};
  for (const [page, pathOf] of Object.entries(paths)) {
    await merchant.open(pathOf(linden));
    const found = await keyboardProblems(merchant.page);
    if (found.length > 0) problems[page] = found;
  }
  expect(problems).toEqual({});
}, 300_000);

test("pages with collapsible details are accessible and fit the screen when the details are open", async () => {
  const merchant = await signIn(rig, browser, linden.storeId, { ...viewports.phone, locale: "de" });
  for (const page of ["storefront", "webhook", "deliveries", "triggers", "trigger-log", "keys", "certificate"]) {
    await merchant.open(paths[page]?.(linden) ?? "");
    await merchant.page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
    await merchant.inspect(`${page}-open-phone-de`);
  }
});

describe("texts without a space to break at", () => {
  const unbroken = Object.fromEntries(Object.keys(lindenPress).map((key) => [key, "W".repeat(100)]));
  const ownerEmail = `${"w".repeat(60)}@${"w".repeat(60)}.example`;
  const texts = { ...unbroken, fileName: "W".repeat(100), orderName: `#${"W".repeat(60)}`, ownerEmail };
  let store: SettingsStore;
  beforeAll(async () => {
    store = await createSettingsStore(rig, { ...lindenPress, ...texts });
  });

  test.each(["phone", "desktop"] as const)("fit a %s on every page", async (name) => {
    const merchant = await signIn(rig, browser, store.storeId, { ...viewports[name], locale: "en" });
    const tooWide: string[] = [];
    for (const [page, pathOf] of Object.entries(paths)) {
      await merchant.open(pathOf(store));
      await merchant.page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
      if (!(await fitsScreen(merchant.page))) tooWide.push(page);
    }
    expect(tooWide).toEqual([]);
  });
});

test("shows markup, scripts, quotation marks and a change of direction as text on every page", async () => {
  // Within the shortest limit of the texts.
  const attack = [
    "<script>document.title='x'</script>",
    `"><img src=x onerror="document.title='x'">`,
    "'-alert(1)-'",
    "\u202eexe.txt",
  ].join("");
  const texts = Object.fromEntries(Object.keys(lindenPress).map((name) => [name, attack]));
  const store = await createSettingsStore(rig, { ...lindenPress, ...texts, displayName: attack } as StoreTexts);
  const merchant = await signIn(rig, browser, store.storeId, { locale: "en" });
  const { page } = merchant;
  const shown: Record<string, string | null> = {};
  for (const [name, pathOf] of Object.entries(paths)) {
    await merchant.open(pathOf(store));
    shown[name] = await page.locator("main").textContent();
    expect(await page.title()).toContain(attack);
    expect(await page.locator("main img, main script").count()).toBe(0);
  }
  for (const name of [
    "certificates",
    "certificate",
    "revoked",
    "sheets",
    "upload",
    "import",
    "reports",
    "deliveries",
    "keys",
    "storefront",
    "storefront-rule",
    "storefront-problems",
  ])
    expect(shown[name], name).toContain(attack);
  await merchant.open("");
  expect(await page.locator(".brand bdi").first().textContent()).toBe(attack);
  expect(merchant.problems).toEqual([]);
});
