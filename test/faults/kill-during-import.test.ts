import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { FollowingReader } from "../harness/following-reader.ts";
import { certctlProgram } from "../harness/run-certctl.ts";
import { createStoreClient, openProcessStack } from "../harness/stack/process-stack.ts";
import type { SupervisedProcess } from "../harness/supervisor/supervised-process.ts";

const orderCount = 600;
const unitsPerOrder = 2;
const certificateCount = orderCount * unitsPerOrder;
const killIntervalCertificates = 150;

const folder = await openTemporaryFolder("registry-import", afterAll);
const stack = await openProcessStack({ REGISTRY_RATE_LIMIT: "10000" });
const { storeId, client } = await createStoreClient(stack);
await stack.receiveWebhooksOf(storeId);

async function writeExport(): Promise<string> {
  const file = path.join(folder, "orders.csv");
  const header = "Name,Email,Financial Status,Paid at,Lineitem quantity,Lineitem name,Billing Name,Cancelled at,Id";
  const rows = Array.from({ length: orderCount }, (_, index) => {
    const owner = `owner${index}@example.com`;
    return `#${index + 1},${owner},paid,2026-05-01 10:00:00 +0200,${unitsPerOrder},Print - A3,Owner ${index},,${7_000_000 + index}`;
  });
  await writeFile(file, [header, ...rows].join("\r\n"));
  return file;
}

/** Imports the file with a certctl process and returns its standard output; rejects if the import fails. */
async function importOrders(file: string): Promise<string> {
  const args = ["--registry", stack.registryAddress, "--store", storeId, "import", "orders", file];
  const env = { ...process.env, ...stack.certctlVariables };
  return (await promisify(execFile)(process.execPath, [certctlProgram, ...args], { env })).stdout;
}

/** Follows the list as documented for API clients until `stopped` aborts. */
async function follow(stopped: AbortSignal) {
  const reader = new FollowingReader((since) =>
    client.all({ limit: "100", ...(since !== undefined && { updated_since: since }) }),
  );
  for (let isLast = false; !isLast; ) {
    isLast = stopped.aborted;
    // If a service was killed, retries: the last attempt has to succeed.
    await reader.catchUp().catch(() => {
      isLast = false;
    });
    await delay(50);
  }
  return reader;
}

/** Waits until the import has issued `count` more certificates or has ended. */
async function issuedOrDone(count: number, importing: () => boolean): Promise<void> {
  const issued = () => stack.database.collections.certificates.countDocuments({ store: storeId });
  const target = (await issued()) + count;
  const check = async () => {
    if (importing()) expect(await issued()).toBeGreaterThanOrEqual(target);
  };
  await eventually(check);
}

/** Kills and restarts each service in turn until the import has ended; returns the number of kills. */
async function killInTurn(services: readonly SupervisedProcess[], importing: () => boolean): Promise<number> {
  let kills = 0;
  while (importing()) {
    for (const service of services) {
      await issuedOrDone(killIntervalCertificates, importing);
      await service.kill();
      kills++;
      await service.start();
    }
  }
  return kills;
}

test("an import neither loses nor duplicates a certificate, and no message is sent twice, while the services are killed in turn", {
  timeout: 180_000,
}, async () => {
  const file = await writeExport();
  const copied = new AbortController();
  const following = follow(copied.signal);
  let isImporting = true;
  const importing = importOrders(file).finally(() => {
    isImporting = false;
  });
  const killing = killInTurn([stack.registry, stack.notifier, stack.edge], () => isImporting);
  const summary = await importing;
  expect(await killing).toBeGreaterThanOrEqual(3);
  // A batch whose response was lost because of a kill counts as "issued", not as "issued before".
  expect(summary).toMatch(new RegExp(`^issued +${certificateCount}$`, "m"));

  // The list contains every unit of every order once and equals the copy synchronized during the import.
  const listed = await client.all({ limit: "100" });
  expect(listed).toHaveLength(certificateCount);
  const units = listed.map(({ order }) => order.id);
  expect(new Set(units).size).toBe(orderCount);
  const serials = listed.map(({ serial }) => Number(serial)).sort((a, b) => a - b);
  expect(serials).toEqual(Array.from({ length: certificateCount }, (_, index) => index + 1));
  copied.abort();
  const reader = await following;
  expect([reader.size, reader.staleAgainst(listed)]).toEqual([listed.length, []]);

  // A second import of the same file issues nothing.
  expect(await importOrders(file)).toMatch(new RegExp(`issued before +${certificateCount}`));
  expect(await client.all({ limit: "100" })).toHaveLength(certificateCount);

  // Every event has a delivery, and no message was sent twice.
  const { deliveries, outbox } = stack.database.collections;
  await eventually(
    async () => {
      expect(await outbox.countDocuments()).toBe(0);
      expect(await deliveries.countDocuments()).toBe(certificateCount);
    },
    { withinMs: 90_000, everyMs: 500 },
  );
  const delivered = await deliveries.distinct("certificate");
  expect(delivered).toHaveLength(certificateCount);
  const received = await stack.received();
  const ids = received.map(({ deliveryId }) => deliveryId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(received.every(({ verified }) => verified)).toBe(true);
  // Messages in flight when the notifier was killed are not sent again; every other message arrived.
  const lost = certificateCount - ids.length;
  const unsettled = await deliveries.countDocuments({ outcome: null });
  const failed = await deliveries.countDocuments({ "outcome.kind": { $nin: [null, "delivered"] } });
  expect(lost).toBeLessThanOrEqual(unsettled + failed);
});
