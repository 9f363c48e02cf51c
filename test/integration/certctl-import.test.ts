import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startCutProxy } from "../harness/cut-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { runCertctl } from "../harness/run-certctl.ts";
import { createTemporaryFolder } from "../harness/temporary-folder.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const unitCount = 200;

/** Writes an export with one paid order of `unitCount` units. @returns its path */
async function writeExport(): Promise<string> {
  const folder = await createTemporaryFolder("certctl-import");
  onTestFinished(() => folder.remove());
  const file = path.join(folder.path, "orders.csv");
  const header = "Name,Email,Financial Status,Paid at,Lineitem quantity,Lineitem name,Billing Name,Cancelled at,Id";
  await writeFile(
    file,
    `${header}\n#1,ann@example.com,paid,2026-05-01 10:00:00 +0200,${unitCount},Print - A3,Ann,,7000001`,
  );
  return file;
}

test("certctl import counts a batch as issued when its response was lost, and as issued before when repeated", {
  timeout: 60_000,
}, async () => {
  const storeId = await createTestStore(registry);
  const file = await writeExport();
  const proxy = await startCutProxy(registry.address);
  onTestFinished(() => proxy.close());
  const issued = () => registry.database.collections.certificates.countDocuments({ store: storeId });
  const importOrders = () => runCertctl("--registry", proxy.address, "--store", storeId, "import", "orders", file);

  const importing = importOrders();
  await eventually(async () => expect(await issued()).toBeGreaterThan(0), { withinMs: 20_000 });
  proxy.loseReplies();
  // The response of the first or of the second batch is lost.
  await eventually(async () => expect(await issued()).toBe(unitCount), { withinMs: 2_000 }).catch(() => undefined);
  proxy.heal();

  const { code, out, error } = await importing;
  expect(error).toMatch(/waiting for the registry/);
  expect(code).toBe(0);
  expect(out).toMatch(/^issued +200$/m);
  expect(out).toMatch(/^issued before +0$/m);
  expect(await issued()).toBe(unitCount);

  const repeated = await importOrders();
  expect(repeated.out).toMatch(/^issued +0$/m);
  expect(repeated.out).toMatch(/^issued before +200$/m);
});
