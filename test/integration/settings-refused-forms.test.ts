import { expect, test } from "vitest";
import { createPageStore, openPagesRig } from "../harness/pages-rig.ts";
import { openBrowserSession } from "../harness/settings-browser.ts";

const rig = await openPagesRig();

test("of several forms for the same action, only the refused one is shown open, and the others show their default values", async () => {
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
