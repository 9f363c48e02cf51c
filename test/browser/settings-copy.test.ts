import { expect, test } from "vitest";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { textsFor } from "#shared/texts/texts.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { send, signIn } from "./merchant.ts";
import { openBrowser } from "./open-browser.ts";
import { viewports } from "./pages-in-browser.ts";

const rig = await sharedPagesRig();
const browser = await openBrowser();

test.each([
  ["copied", "", "() => Promise.resolve()"],
  [
    "copy",
    textsFor("de")("settings.words.copyByHand"),
    "() => Promise.reject(new DOMException('denied', 'NotAllowedError'))",
  ],
] as const)("after an attempt to copy a new key, shows '%s' and '%s'", async (text, note, writeText) => {
  const storeId = await createPageStore(rig, { plan: Plan.BASIC });
  const merchant = await signIn(rig, browser, storeId, { ...viewports.phone, locale: "de" });
  await merchant.open("/keys");
  await merchant.page.locator("#create-label").fill("Lager");
  await send(merchant, "create");
  await merchant.page.evaluate(`navigator.clipboard.writeText = ${writeText}`);
  const button = merchant.page.locator("[data-copy]");
  await button.click();
  await expect.poll(() => button.innerText()).toBe(textsFor("de")(`settings.words.${text}`));
  await expect.poll(() => merchant.page.locator("#secret-note").innerText()).toBe(note);
  expect(await merchant.page.evaluate("document.activeElement.id")).toBe("secret");
  await merchant.inspect();
  expect(merchant.problems).toEqual([]);
});
