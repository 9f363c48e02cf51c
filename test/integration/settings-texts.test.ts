import { expect, test } from "vitest";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { openBrowserSession } from "../harness/settings-browser.ts";

const rig = await sharedPagesRig();

test("on the Basic plan, the pages about API keys say that the API needs the Pro plan", async () => {
  const storeId = await createPageStore(rig, { plan: Plan.BASIC });
  const merchant = await openBrowserSession(rig, storeId);
  const createKey = () => merchant.submit("/keys", { token: merchant.formToken, action: "create", label: "shop" });
  const pages = async () => [await (await merchant.get("/keys")).text(), await (await createKey()).text()];
  for (const page of await pages()) {
    expect(page).toContain("The API needs the Pro plan");
    expect(page).toMatch(/<a href="\/settings\/plan"[^>]*>Change the plan<\/a>/);
  }
  await rig.registry.admin.setPlan({ plan: Plan.PRO }, inStore(storeId));
  for (const page of await pages()) expect(page).not.toContain("needs the Pro plan");
});

test("the history of a certificate translates the actor of a buyer's changes", async () => {
  const storeId = await createPageStore(rig);
  const { certificateId, linkToken } = await rig.issue(storeId);
  await rig.registry.verification.reportProblem({ linkToken, content: "It differs." });
  const merchant = await openBrowserSession(rig, storeId);
  const page = await (await merchant.get(`/certificates/${certificateId}?lang=de`)).text();
  expect(page).toContain("<bdi>Käufer</bdi>");
  expect(page).not.toContain("<bdi>buyer</bdi>");
});

test("the change history translates the names of details, and shows the label of a key that still exists", async () => {
  const storeId = await createPageStore(rig);
  const { keyId } = await rig.registry.admin.createApiKey({ label: "Warehouse" }, inStore(storeId));
  const merchant = await openBrowserSession(rig, storeId);
  await rig.registry.admin.updateSettings(
    { language: "ja", editionStyle: 3 },
    { headers: { ...inStore(storeId).headers, "x-actor": "certctl/root" } },
  );
  const page = await (await merchant.get("/history?lang=de")).text();
  expect(page).toContain("Schlüssel: <bdi>Warehouse</bdi>");
  expect(page).not.toContain(keyId);
  expect(page).toContain("Tarif: Pro");
  for (const words of ["Über: Anmeldelink", "Sprache: 日本語", "Mit „Nr.“ und „von“", "<bdi>Support-Team: root</bdi>"])
    expect(page).toContain(words);
});

test("the rows of reports and deliveries name the certificate and the product", async () => {
  const { registry } = rig;
  const storeId = await createPageStore(rig);
  const { certificateId, linkToken } = await rig.issue(storeId, { product: { title: "Double <Vase>", sku: "" } });
  await registry.verification.reportProblem({ linkToken, content: "It differs." });
  const { entries } = await registry.inspection.getHistory({ certificateId }, inStore(storeId));
  const claims = [{ eventId: entries[0]?.eventId ?? "", storeId, certificateId, type: 1 }];
  await registry.notifier.claimDeliveries({ notifierId: "notifier-1", claims });
  const merchant = await openBrowserSession(rig, storeId);
  const label = `<a href="/settings/certificates/${certificateId}">000001&nbsp;· <bdi>Double &lt;Vase&gt;</bdi></a>`;
  expect(await (await merchant.get("/reports")).text()).toContain(label);
  expect(await (await merchant.get("/deliveries")).text()).toContain(`Issued&nbsp;· ${label}`);
});

test.each(["outcome=lost", "event=9", "since=2026-02-30", "until=soon"])(
  "the delivery log lists nothing for the filter %s, and names it as invalid",
  async (query) => {
    const { registry } = rig;
    const storeId = await createPageStore(rig);
    const { certificateId } = await rig.issue(storeId);
    const { entries } = await registry.inspection.getHistory({ certificateId }, inStore(storeId));
    const claims = [{ eventId: entries[0]?.eventId ?? "", storeId, certificateId, type: 1 }];
    await registry.notifier.claimDeliveries({ notifierId: "notifier-1", claims });
    const merchant = await openBrowserSession(rig, storeId);
    const page = await (await merchant.get(`/deliveries?${query}`)).text();
    expect(page).toContain(`The filter “${query.split("=")[1]}” is not valid.`);
    expect(page).not.toContain(certificateId);
  },
);

test("a key's purpose can be changed, and the key stays the same", async () => {
  const { admin } = rig.registry;
  const storeId = await createPageStore(rig);
  const { keyId } = await admin.createApiKey({ label: "Warehouse" }, inStore(storeId));
  const [before] = (await admin.listApiKeys({}, inStore(storeId))).keys;
  const merchant = await openBrowserSession(rig, storeId);
  const form = { action: "rename", scope: keyId, key: keyId, token: merchant.formToken };
  const refused = await (await merchant.submit("/keys", { ...form, label: " " })).text();
  expect(refused).toContain(`id="rename-${keyId}-label-mistake"`);
  const saved = await merchant.post("/keys", { ...form, label: "$Archive" });
  expect(saved.headers.get("location")).toBe("/settings/keys?done=renamed");
  const { keys } = await admin.listApiKeys({}, inStore(storeId));
  expect(keys).toEqual([{ ...before, label: "$Archive" }]);
  expect(await (await merchant.get("/history")).text()).toContain("Purpose of an API key changed");
});
