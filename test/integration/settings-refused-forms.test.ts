import { describe, expect, test } from "vitest";
import { createPageStore, openPagesRig } from "../harness/pages-rig.ts";
import { openBrowserSession } from "../harness/settings-browser.ts";
import { allProducts } from "../harness/storefront/rules.ts";

const rig = await openPagesRig();

test("of several forms for the same action, only the refused one is expanded, and the others show their default values", async () => {
  const { admin } = rig.registry;
  const storeId = await createPageStore(rig);
  const createKey = async (label: string) => (await admin.createApiKey({ storeId, label })).keyId;
  const [refused, other] = [await createKey("refused"), await createKey("other")];
  const merchant = await openBrowserSession(rig, storeId);
  const fields = { token: merchant.formToken, action: "roll", scope: refused, key: refused, grace: "7" };
  const response = await merchant.post("/keys", fields);
  expect(response.status).toBe(422);
  const page = await response.text();
  const chosen = (keyId: string) => {
    const [, options] = new RegExp(`<select id="roll-${keyId}-grace"[^>]*>(.*?)</select>`, "s").exec(page) ?? [];
    return /value="(\d+)" selected/.exec(options ?? "")?.[1];
  };
  // The refused form has no option for the entered grace period, so none is selected.
  expect({ refused: chosen(refused), other: chosen(other) }).toEqual({ refused: undefined, other: "86400" });
  expect(page.match(/<details class="disclosure" open>/g)).toHaveLength(1);
});

describe("a form for a storefront rule that another person has since removed", () => {
  test.each([
    ["remove", "/storefront"],
    ["up", "/storefront"],
    ["change", "/storefront/rules/gone"],
  ])("with the action %s is refused and shows the current rules and the reason", async (action, path) => {
    const { storefront } = rig.registry;
    const storeId = await createPageStore(rig);
    const rules = [
      { ...allProducts, name: "kept" },
      { ...allProducts, name: "gone" },
    ];
    const { rulesVersion } = await storefront.setStorefrontRules({ storeId, rules });
    const merchant = await openBrowserSession(rig, storeId);
    await storefront.setStorefrontRules({ storeId, rules: rules.slice(0, 1) });
    // `days` is invalid too, but the page must report that the rules have changed.
    const fields = { action, token: merchant.formToken, rule: "gone", version: String(rulesVersion), days: "x" };
    const response = await merchant.post(path, fields);
    expect(response.status).toBe(422);
    const page = await response.text();
    expect(page).toContain("Someone else has changed the rules");
    expect(page).toContain("kept</code>");
    expect(page).not.toContain("gone</code>");
  });
});
