import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { ImportState } from "#gen/settings/v1/import_settings_service_pb.js";
import { exportText, headRow } from "#shared/orders/csv-fixture.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { untilImport, uploadOrders } from "../harness/import-orders.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { sharedRegistry } from "../harness/registry-fixture.ts";
import { runCertctlFor } from "../harness/run-certctl.ts";
import { openSettingsSession } from "../harness/settings-session.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await sharedRegistry();
const { admin, issuing, settings } = registry;

// The 300 units form three batches of 100. The second one mixes two products, one of them with two SKUs.
const text = exportText([
  headRow("#1", "7000001", { "Lineitem quantity": "120", "Lineitem sku": "AJ-M" }),
  headRow("#2", "7000002", { "Lineitem quantity": "40" }),
  headRow("#3", "7000003", { "Lineitem quantity": "140", "Lineitem sku": "AJ-L" }),
]);
const numbersLeft = 150;

/** Creates a store with an edition that has `numbersLeft` numbers left. */
async function storeWithEdition(): Promise<string> {
  const storeId = await createTestStore(registry);
  const variants = ["AJ-M", "AJ-L"].map((sku) => ({ sku, title: sku }));
  const editionTotal = numbersLeft + 1;
  await admin.putProducts(
    { products: [{ id: "7001", title: "Alpine Jacket", variants, editionTotal }] },
    inStore(storeId),
  );
  await issuing.issueCertificates({ items: [issueItem({ product: { sku: "AJ-M" } })] }, inStore(storeId));
  return storeId;
}

test("examining a file counts each number of a limited edition only once, and the import reports the same counts", async () => {
  const storeId = await storeWithEdition();
  const headers = await openSettingsSession(registry, storeId);
  const importId = await uploadOrders({ registry }, storeId, { text });
  const counts = { issued: numbersLeft + 40, soldOut: 110, rejectedLines: 1 };
  expect((await settings.imports.getImport({ importId }, { headers })).import).toMatchObject(counts);
  await settings.imports.startImport({ importId, dryRun: false }, { headers });
  expect(await untilImport(registry, headers, importId, ImportState.FINISHED)).toMatchObject(counts);
});

test("a certctl import dry run counts each number of a limited edition only once, and the import reports the same counts", async () => {
  const storeId = await storeWithEdition();
  const folder = await openTemporaryFolder("dry-run-editions", onTestFinished);
  const file = path.join(folder, "orders.csv");
  await writeFile(file, text);
  const importOrders = (...options: string[]) => runCertctlFor(registry, storeId, "import", "orders", file, ...options);
  const preview = await importOrders("--dry-run");
  expect(preview.out).toMatch(/^would be issued +190$/m);
  expect(preview.out).toMatch(/^units sold out +110$/m);
  expect(preview.error).toMatch(/^line 4, Lineitem sku: .*sold out\. The first affected unit is number 31\.$/m);
  const done = await importOrders();
  expect(done.out).toMatch(/^issued +190$/m);
  expect(done.out).toMatch(/^units sold out +110$/m);
});

test("a dry run accepts and returns counts of used edition numbers, which issuing ignores and does not return", async () => {
  const storeId = await storeWithEdition();
  const items = [issueItem({ product: { sku: "AJ-M" } }), issueItem({ product: { sku: "AJ-L" } }), issueItem()];
  const all = [{ productId: "7001", count: numbersLeft }];
  const first = await issuing.issueCertificates({ items, dryRun: true }, inStore(storeId));
  expect(first.editionsUsed).toMatchObject([{ productId: "7001", count: 2 }]);
  const last = await issuing.issueCertificates({ items, dryRun: true, editionsUsed: all }, inStore(storeId));
  const { ISSUED, SOLD_OUT } = IssueOutcome;
  expect(last.results.map(({ outcome }) => outcome)).toEqual([SOLD_OUT, SOLD_OUT, ISSUED]);
  expect(last.editionsUsed).toMatchObject(all);
  const issued = await issuing.issueCertificates({ items, editionsUsed: all }, inStore(storeId));
  expect(issued.results.map(({ outcome }) => outcome)).toEqual([ISSUED, ISSUED, ISSUED]);
  expect(issued.editionsUsed).toEqual([]);
});
