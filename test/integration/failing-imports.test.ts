import { expect, test } from "vitest";
import { ImportState } from "#gen/settings/v1/import_settings_service_pb.js";
import { exportText, headRow } from "#shared/orders/csv-fixture.ts";
import { compoundKey } from "../../services/registry/mongo/documents/compound-key.ts";
import { startDatabaseProxy } from "../harness/database-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { untilImport, uploadOrders } from "../harness/import-orders.ts";
import { lockStores } from "../harness/lock-stores.ts";
import { createPageStore, openPagesRig } from "../harness/pages-rig.ts";
import { refusalOf } from "../harness/refusal-of.ts";
import { startTestRegistry } from "../harness/registry-fixture.ts";
import { openBrowserSession } from "../harness/settings-browser.ts";
import { openSettingsSession } from "../harness/settings-session.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const rig = await openPagesRig();
const { registry } = rig;
const { imports } = registry.settings;
const { collections } = registry.database;
const reason = /^The import failed because of an internal error\. Import the file again/;

/** Replaces the first part of an import's file with a value that no replica can read. */
async function breakFile(importId: string): Promise<void> {
  const part = { _id: compoundKey(importId, 0) };
  await collections.importParts.updateOne(part, { $set: { content: "broken" as never } });
}

test("a file whose examination fails is not examined again, and the merchant sees that the import failed", async () => {
  const storeId = await createPageStore(rig);
  const headers = await openSettingsSession(registry, storeId);
  const { importId } = await imports.createImport({ fileName: "orders.csv" }, { headers });
  await imports.addImportPart({ importId, number: 0, content: Buffer.from("a,b") }, { headers });
  await breakFile(importId);
  await imports.startImport({ importId, dryRun: true }, { headers });
  const found = await untilImport(registry, headers, importId, ImportState.EXAMINED);
  expect(found.unreadableReason?.text).toMatch(reason);
  const page = await (await openBrowserSession(rig, storeId)).get(`/certificates/import/${importId}?lang=de`);
  expect(await page.text()).toContain("wegen eines internen Fehlers gescheitert");
});

test("an import that fails while it issues certificates is marked as finished, with the reason", async () => {
  const storeId = await createPageStore(rig);
  const headers = await openSettingsSession(registry, storeId);
  const importId = await uploadOrders(rig, storeId);
  await breakFile(importId);
  await imports.startImport({ importId, dryRun: false }, { headers });
  const found = await untilImport(registry, headers, importId, ImportState.FINISHED);
  expect(found.unreadableReason?.text).toMatch(reason);
});

test("an import cannot issue certificates before its file has been examined", async () => {
  const headers = await openSettingsSession(registry, await createPageStore(rig));
  const { importId } = await imports.createImport({ fileName: "orders.csv" }, { headers });
  await imports.addImportPart({ importId, number: 0, content: Buffer.from("a,b") }, { headers });
  const refused = await refusalOf(imports.startImport({ importId, dryRun: false }, { headers }));
  expect(refused.code).toBe("failed_precondition");
  expect((await imports.getImport({ importId }, { headers })).import?.state).toBe(ImportState.UPLOADING);
});

test("a replica that stops does not wait for a batch that is blocked by a locked store", async (context) => {
  // The replica has a database of its own, so that no other replica claims the import.
  const database = await openTestDatabase(context.onTestFinished);
  const proxy = await startDatabaseProxy(database.uri, context.onTestFinished);
  const alone = await startTestRegistry({ database: { ...database, uri: proxy.uri } });
  const ofAlone = { ...rig, registry: alone };
  const storeId = await createPageStore(ofAlone);
  const headers = await openSettingsSession(alone, storeId);
  const rows = Array.from({ length: 300 }, (_, index) => headRow(`#${index + 1}`, String(7_000_000 + index)));
  const importId = await uploadOrders(ofAlone, storeId, { text: exportText(rows) });
  const { unlock } = await lockStores(context, database, [storeId]);
  const attempts = () => proxy.count("findAndModify stores");
  const before = attempts();
  await alone.settings.imports.startImport({ importId, dryRun: false }, { headers });
  await eventually(() => expect(attempts()).toBeGreaterThan(before + 2));
  const attemptsAtStop = attempts();
  await alone.stop();
  // A batch tries to change a locked store for ten seconds, about four times per second.
  expect(attempts() - attemptsAtStop).toBeLessThan(10);
  await unlock();
});
