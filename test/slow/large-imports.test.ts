import { expect, test } from "vitest";
import { exportText, headRow } from "#shared/orders/csv-fixture.ts";
import { uploadOrders } from "../harness/import-orders.ts";
import { createPageStore, openPagesRig } from "../harness/pages-rig.ts";
import { openBrowserSession } from "../harness/settings-browser.ts";
import { openSettingsSession } from "../harness/settings-session.ts";

const rig = await openPagesRig();
const { registry } = rig;
const { imports } = registry.settings;

test("an import stops with an error at 200,000 units, even if few rows contain them", {
  timeout: 300_000,
}, async () => {
  const storeId = await createPageStore(rig);
  const headers = await openSettingsSession(registry, storeId);
  const rows = Array.from({ length: 30 }, (_, index) =>
    headRow(`#${index + 1}`, String(7_000_000 + index), { "Lineitem quantity": "10000" }),
  );
  const importId = await uploadOrders(rig, storeId, { text: exportText(rows), withinMs: 80_000 });
  const { import: found } = await imports.getImport({ importId }, { headers });
  expect(found).toMatchObject({
    issued: 200_000,
    unreadableLine: 22,
    unreadableReason: { text: expect.stringMatching(/^An import takes at most 200,000 items\./) },
  });
  const page = await (await openBrowserSession(rig, storeId)).get(`/certificates/import/${importId}?lang=de`);
  expect(await page.text()).toContain("Ein Import umfasst höchstens 200.000 Artikel.");
});
