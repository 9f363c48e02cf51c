import { expect, test } from "vitest";
import { keepsSnapshots } from "../../services/registry/mongo/opening/page-reads.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { createTestLedger } from "../harness/ledger-fixture.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { runBackup } from "../harness/run-backup.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();

const documentsBefore = 2_500;
const batch = 250;
const storesCount = 5;

test("a backup of 2,500 certificates beside writers is from one point in time, and can be restored", async ({
  onTestFinished,
}) => {
  const { database } = registry;
  const { issue } = createTestLedger(database);
  const stores = await Promise.all(Array.from({ length: storesCount }, () => createTestStore(registry)));
  for (let issued = 0; issued < documentsBefore; issued += batch)
    await issue(stores[(issued / batch) % storesCount] ?? "", batch);

  let isWriting = true;
  let written = 0;
  const write = async (storeId: string) => {
    while (isWriting) {
      await issue(storeId);
      written++;
    }
  };
  const writing = stores.map(write);
  const reads = (await keepsSnapshots(database.client)) ? "snapshot" : "transaction";
  const folder = await openTemporaryFolder("snapshot-backup", onTestFinished);
  const atStart = written;
  const saved = await runBackup(database.uri, "save", "--folder", `${folder}/b`, "--reads", reads);
  const duringBackup = written - atStart;
  isWriting = false;
  await Promise.all(writing);
  expect(saved).toMatchObject({ code: 0 });
  // Otherwise, the backup would not have run beside writers.
  expect(duringBackup).toBeGreaterThan(storesCount);

  const restored = await openTestDatabase(onTestFinished);
  expect(await runBackup(restored.uri, "restore", "--folder", `${folder}/b`)).toMatchObject({ code: 0 });
  const { certificates, stores: clocks } = restored.collections;
  expect(await certificates.countDocuments()).toBeGreaterThanOrEqual(documentsBefore);
  for (const storeId of stores) {
    const newest = await certificates.findOne({ store: storeId }, { sort: { updatedAt: -1 } });
    const store = await clocks.findOne({ _id: storeId });
    // A change writes the store's clock and its certificates in one transaction.
    expect(newest?.updatedAt).toEqual(store?.clock);
    expect(await certificates.countDocuments({ store: storeId })).toBe(store?.lastSerial);
  }
}, 180_000);
