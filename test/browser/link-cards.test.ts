import { mkdir } from "node:fs/promises";
import sharp from "sharp";
import { expect, test } from "vitest";
import { supportedLanguages } from "#shared/texts/languages.ts";
import { sharedPagesRig } from "../harness/pages-rig.ts";
import { createExamplePages } from "./example-certificates.ts";
import { openBrowser } from "./open-browser.ts";
import { openPage } from "./pages-in-browser.ts";

// Services that show links as cards expect these pixels.
const [width, height] = [1_200, 630];
const bytesMax = 64 * 1_024;
const folder = "services/edge/pages/assets/cards";

const rig = await sharedPagesRig();
const examples = await createExamplePages(rig);
const browser = await openBrowser();

const cards = (["valid", "revoked", "expired", "sample"] as const).flatMap((example) =>
  supportedLanguages.map((language) => ({ example, language, state: example === "valid" ? "active" : example })),
);

// The heading and the seal of the certificate's page, in its frame.
const cardStyle = `
  body { display: block; min-height: 0; padding: 0; }
  main { max-width: none; }
  .sheet { position: fixed; inset: 0; border-width: 52px; box-shadow: none; border-radius: 0; }
  .certificate .content { height: 100%; display: grid; align-content: center; justify-items: center; padding: 0; }
  .content > :not(h1, .rule, .state), .mark, .explanation, .actions, .history, footer, .skip { display: none; }
  .certificate h1 { margin: 0; font-size: 84px; white-space: nowrap; }
  .rule { width: 320px; height: 17px; margin: 22px auto 20px; }
  .certificate .state { margin: 0; max-width: none; }
  .seal { width: 196px; height: 196px; animation: none; }
  .state strong { margin-block-start: 14px; font-size: 62px; }
`;

// With UPDATE_SCREENSHOTS=1, renders the cards; Japanese ones need a Japanese font, such as fonts-noto-cjk of Debian.
test.runIf(process.env.UPDATE_SCREENSHOTS === "1").each(cards)(
  "renders the card of the state $example in $language",
  async ({ example, language, state }) => {
    const { page, visit } = await openPage(browser, { viewport: { width, height }, bypassCSP: true });
    await visit(`${examples[example]}?lang=${language}`);
    await page.addStyleTag({ content: cardStyle });
    const isInside = "document.querySelector('h1').getBoundingClientRect().width < 1060";
    expect(await page.evaluate(isInside)).toBe(true);
    await mkdir(folder, { recursive: true });
    const image = sharp(await page.screenshot({ type: "png" }));
    await image.jpeg({ quality: 60, mozjpeg: true }).toFile(`${folder}/${state}-${language}.jpg`);
  },
);

test.each(cards)("a link to a certificate that is $example has a card in $language", async ({ example, language }) => {
  const html = await (await fetch(`${examples[example]}?lang=${language}`)).text();
  const url = tagsOf(html)["og:image"] ?? "";
  const state = example === "valid" ? "active" : example;
  expect(url).toMatch(new RegExp(`^${rig.verifyUrl}/assets/${state}-${language}\\.[0-9a-f]{12}\\.jpg$`));
  const image = Buffer.from(await (await fetch(url)).arrayBuffer());
  const metadata = await sharp(image).metadata();
  expect([metadata.format, metadata.width, metadata.height]).toEqual(["jpeg", width, height]);
  expect(image.length).toBeLessThan(bytesMax);
});

const issuers = { en: "Issued by Linden Press", de: "Ausgestellt von Linden Press", ja: "発行者：Linden Press" };

test.each([
  ["valid", "en", "Edition 01/50", "Certificate of Authenticity: Valid", "Certificate number 001042"],
  ["valid", "de", "Edition 01/50", "Echtheitszertifikat: Gültig", "Zertifikatsnummer 001042"],
  ["valid", "ja", "エディション 01/50", "真正性証明書：有効", "証明書番号 001042"],
  ["revoked", "en", "Edition 02/50", "Certificate of Authenticity: Revoked", "Certificate number 001043"],
  ["revoked", "de", "Edition 02/50", "Echtheitszertifikat: Widerrufen", "Zertifikatsnummer 001043"],
  ["revoked", "ja", "エディション 02/50", "真正性証明書：失効", "証明書番号 001043"],
  ["expired", "en", "Edition 03/50", "Certificate of Authenticity: Expired", "Certificate number 001044"],
  ["expired", "de", "Edition 03/50", "Echtheitszertifikat: Abgelaufen", "Zertifikatsnummer 001044"],
  ["expired", "ja", "エディション 03/50", "真正性証明書：期限切れ", "証明書番号 001044"],
  ["sample", "en", "", "Certificate of Authenticity: Sample", ""],
  ["sample", "de", "", "Echtheitszertifikat: Muster", ""],
  ["sample", "ja", "", "真正性証明書：見本", ""],
] as const)("the card of a certificate that is %s says so in %s", async (example, language, edition, state, number) => {
  const page = await fetch(`${examples[example]}?lang=${language}`, { headers: { "Accept-Language": "fr" } });
  const joined = (...parts: string[]) => parts.filter((part) => part !== "").join(" · ");
  const description = joined(state, issuers[language], number);
  expect(tagsOf(await page.text())).toMatchObject({
    "og:title": joined("Kite Season, No. 3", edition),
    "og:description": description,
    description,
    "og:site_name": "Linden Press",
    "og:url": `${examples[example]}?lang=${language}`,
    "og:image:alt": joined("Kite Season, No. 3", state),
    "twitter:card": "summary_large_image",
  });
});

/** Returns the content of a page's `meta` elements by property or name. */
function tagsOf(html: string): Readonly<Record<string, string>> {
  const found = html.matchAll(/<meta (?:property|name)="([\w:]+)" content="([^"]*)">/g);
  return Object.fromEntries(Array.from(found, ([, name = "", content = ""]) => [name, content]));
}
