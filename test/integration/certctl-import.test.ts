import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startCutProxy } from "../harness/cut-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { listAll } from "../harness/public-certificate.ts";
import { sharedRegistry } from "../harness/registry-fixture.ts";
import { runCertctl, runCertctlFor } from "../harness/run-certctl.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await sharedRegistry();
const unitCount = 200;

const header = "Name,Email,Financial Status,Paid at,Lineitem quantity,Lineitem name,Billing Name,Cancelled at,Id";

/** Writes an export with one paid order of `unitCount` units, and further rows. @returns its path */
async function writeExport(...furtherRows: readonly string[]): Promise<string> {
  const folder = await openTemporaryFolder("certctl-import", onTestFinished);
  const file = path.join(folder, "orders.csv");
  const first = `#1,ann@example.com,paid,2026-05-01 10:00:00 +0200,${unitCount},Print - A3,Ann,,7000001`;
  await writeFile(file, [header, first, ...furtherRows].join("\n"));
  return file;
}

test("certctl import counts a batch as issued even if the response is lost, and a second import counts it as issued before", async () => {
  const storeId = await createTestStore(registry);
  const file = await writeExport();
  const proxy = await startCutProxy(registry.address, onTestFinished);
  const issued = () => registry.database.collections.certificates.countDocuments({ store: storeId });
  const importOrders = () => runCertctl("--registry", proxy.address, "--store", storeId, "import", "orders", file);

  // The address of the buyer is in the request for the first batch, and in no request before it.
  proxy.loseReplies("ann@example.com");
  const importing = importOrders();
  await eventually(async () => expect(await issued()).toBeGreaterThan(0));
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

test("certctl import --rejects writes each rejected row with the reason, even in a dry run, and refuses to overwrite the export", async () => {
  const storeId = await createTestStore(registry);
  const bad = "#2,nobody,paid,2026-05-01 10:00:00 +0200,1,Print - A3,Bob,,7000002";
  const file = await writeExport(bad);
  const rejects = `${file}.rejects.csv`;
  const importWith = (...args: string[]) => runCertctlFor(registry, storeId, "import", "orders", file, ...args);
  const expected = [
    `Rejected line,Rejected column,Reason,${header}`,
    `3,Email,The value is not an email address.,${bad}`,
    "",
  ].join("\n");
  for (const options of [["--dry-run"], []]) {
    const { code, out } = await importWith("--rejects", rejects, ...options);
    expect(code).toBe(3);
    expect(out).toMatch(/^rows unusable +1$/m);
    expect(out).toContain(`rows rejected      1, written to ${rejects}\n`);
    expect(await readFile(rejects, "utf8")).toBe(expected);
  }
  const before = await readFile(file, "utf8");
  expect(await importWith("--rejects", file)).toMatchObject({
    code: 2,
    error: expect.stringContaining(`The file ${file} exists and is not a rejects file.`),
  });
  expect(await readFile(file, "utf8")).toBe(before);
});

describe("certctl import of orders that were refunded or cancelled after an earlier import", () => {
  const row = (name: string, status: string, id: string, cancelledAt = "") =>
    `${name},ann@example.com,${status},2026-05-01 10:00:00 +0200,2,Print - A3,Ann,${cancelledAt},${id}`;

  /**
   * Imports three orders of two units each. @returns the store's id and a function that imports them again after the
   *   refund of the second and the cancellation of the third
   */
  async function importedOrders() {
    const storeId = await createTestStore(registry);
    const folder = await openTemporaryFolder("certctl-withdrawn", onTestFinished);
    const file = path.join(folder, "orders.csv");
    const importRows = async (rows: readonly string[], ...options: string[]) => {
      await writeFile(file, [header, ...rows].join("\n"));
      return runCertctlFor(registry, storeId, "import", "orders", file, ...options);
    };
    await importRows([row("#1", "paid", "71"), row("#2", "paid", "72"), row("#3", "paid", "73")]);
    const cancelledAt = "2026-05-02 10:00:00 +0200";
    const now = [row("#1", "paid", "71"), row("#2", "refunded", "72"), row("#3", "paid", "73", cancelledAt)];
    return { storeId, importNow: (...options: string[]) => importRows(now, ...options) };
  }

  const stateOf = async (storeId: string) =>
    (await listAll(registry, storeId))
      .map(({ order, status, revokedReason }) => `${order.name} ${status} ${revokedReason}`)
      .sort();
  const allActive = ["#1", "#2", "#3"].flatMap((name) => Array<string>(2).fill(`${name} active null`));

  test("reports the certificates to revoke, and revokes none without --revoke-refunded or in a dry run", async () => {
    const { storeId, importNow } = await importedOrders();
    for (const options of [[], ["--revoke-refunded", "--dry-run"]]) {
      const { code, out, error } = await importNow(...options);
      expect(code).toBe(0);
      expect(error.match(/^line 3, order #2 refunded: to be revoked: \d{6} {2}crt_\w+$/gm)).toHaveLength(2);
      expect(error.match(/^line 4, order #3 cancelled: to be revoked: \d{6} {2}crt_\w+$/gm)).toHaveLength(2);
      expect(out).toMatch(/^to be revoked +4$/m);
      expect(out).toMatch(/^revoked +0$/m);
      expect(out).toContain("repeat the import with --revoke-refunded");
    }
    expect(await stateOf(storeId)).toEqual(allActive);
  });

  test("with --revoke-refunded, revokes the certificates of refunded and cancelled orders with the matching reason, and nothing when repeated", async () => {
    const { storeId, importNow } = await importedOrders();
    const { code, out, error } = await importNow("--revoke-refunded");
    expect(code).toBe(0);
    expect(error.match(/^line \d, order #\d \w+: revoked: \d{6} {2}crt_\w+$/gm)).toHaveLength(4);
    expect(out).toMatch(/^to be revoked +0$/m);
    expect(out).toMatch(/^revoked +4$/m);
    const revoked = [
      "#2 revoked Refund",
      "#2 revoked Refund",
      "#3 revoked Order cancelled",
      "#3 revoked Order cancelled",
    ];
    expect(await stateOf(storeId)).toEqual([...allActive.slice(0, 2), ...revoked]);
    const types = (await waitingEvents(registry.database, storeId)).map(({ type }) => type);
    expect(types.filter((type) => type === "REVOKED")).toHaveLength(4);

    const again = await importNow("--revoke-refunded");
    expect(again.out).toMatch(/^revoked +0$/m);
    expect(await waitingEvents(registry.database, storeId)).toHaveLength(types.length);
  });
});
