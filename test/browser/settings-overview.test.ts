import { describe, expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import { reasonText } from "#shared/reasons/reason-text.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { testWebhookUrl } from "../harness/test-stores.ts";
import { variants } from "../harness/variants.ts";
import { signIn } from "./merchant.ts";
import { openBrowser } from "./open-browser.ts";
import { openPage, viewports } from "./pages-in-browser.ts";

const rig = await sharedPagesRig();
const browser = await openBrowser();
const { registry } = rig;

async function recordDelivery(storeId: string, kind: OutcomeKind, httpStatus: number, why: Reason): Promise<void> {
  const { certificateId } = await rig.issue(storeId);
  const { entries } = await registry.inspection.getHistory({ certificateId }, inStore(storeId));
  const eventId = entries[0]?.eventId ?? "";
  await registry.notifier.claimDeliveries({
    notifierId: "notifier-1",
    claims: [{ eventId, storeId, certificateId, type: 1 }],
  });
  await registry.notifier.recordOutcomes({ outcomes: [{ eventId, kind, httpStatus, durationMs: 81, reason: why }] });
}

describe.each(
  variants([
    ["phone", "de", viewports.phone],
    ["desktop", "ja", viewports.desktop],
    ["desktop-dark", "en", { ...viewports.desktop, colorScheme: "dark" as const }],
  ] as const),
)("viewport %s, language %s", (name, language, options) => {
  test("the overview shows no badge before setup, a success badge after a delivery, and a failure badge with the reason after a refusal", async () => {
    const storeId = await createPageStore(rig);
    const merchant = await signIn(rig, browser, storeId, { ...options, locale: language });
    const { page, problems } = merchant;
    // The page leaves the week out if the database is too busy to count it in time.
    const openWithWeek = (counts: readonly number[]) =>
      eventually(async () => {
        await merchant.open("");
        expect(await page.locator(".week li").allInnerTexts()).toEqual(
          (["issued", "verified", "transferred", "reported"] as const).map(
            (event, index) => `${textsFor(language)(`settings.words.events.${event}`)}\n${counts[index]}`,
          ),
        );
      });
    await openWithWeek([0, 0, 0, 0]);
    expect(await page.locator(".badge").count()).toBe(0);
    await merchant.inspect(`overview-new-${name}-${language}`);
    await registry.admin.createApiKey({ label: "shop" }, inStore(storeId));
    await registry.admin.setWebhook({ url: testWebhookUrl, createSecret: true }, inStore(storeId));
    await recordDelivery(storeId, OutcomeKind.DELIVERED, 200, reason("delivered", { status: 200 }));
    await openWithWeek([1, 0, 0, 0]);
    expect(await page.locator(".panel").last().locator(".badge.good").count()).toBe(1);
    expect(await page.locator(".week svg").first().getAttribute("aria-label")).toMatch(/[:：] ?0.*[:：] ?1$/);
    const refused = reason("status_not_success", { status: 500 });
    await recordDelivery(storeId, OutcomeKind.REFUSED, 500, refused);
    await openWithWeek([2, 0, 0, 0]);
    expect(await page.locator(".panel").last().locator(".badge.bad").count()).toBe(1);
    expect(await page.locator("main").innerText()).toContain(reasonText(refused, language));
    await merchant.inspect(`overview-failing-${name}-${language}`);
    expect(problems).toEqual([]);
  });
});

test("a sign-in link allows a single sign-in; the session ends when the merchant signs out", async () => {
  const storeId = await createPageStore(rig);
  const { url } = await registry.admin.createSettingsLink({ actor: "Ada" }, inStore(storeId));
  const { page } = await openPage(browser, { locale: "en" });
  // Services that create link previews open the link too, so opening the link must not use it up.
  for (let time = 0; time < 2; time++) await page.goto(url);
  await page.locator("button[type=submit]").click();
  await page.waitForURL(/\/settings$/);
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ name: "__Host-settings", httpOnly: true, secure: true, sameSite: "Lax", path: "/" });
  await page.getByRole("button", { name: "Sign out" }).click();
  expect(await page.locator("h1").innerText()).toBe("You are signed out");
  await page.context().addCookies(cookie === undefined ? [] : [cookie]);
  await page.goto(`http://127.0.0.1:${rig.edge.port}/settings`);
  expect(await page.locator("h1").innerText()).toBe("You are not signed in");
  await page.goto(url);
  await page.locator("button[type=submit]").click();
  expect(await page.locator("h1").innerText()).toBe("This link no longer works");
});

test("the settings work without scripts and keep the chosen language", async () => {
  const merchant = await signIn(rig, browser, await createPageStore(rig), { javaScriptEnabled: false, locale: "en" });
  const { page } = merchant;
  await page.getByRole("link", { name: "Français" }).click();
  await merchant.open("");
  expect(await page.locator("h1").innerText()).toBe("Vue d’ensemble");
});
