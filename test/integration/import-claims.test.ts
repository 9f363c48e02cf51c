import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { type Clock, steadyClock, systemClock } from "#shared/time/clock.ts";
import { createImportRunner } from "../../services/registry/imports/import-runner.ts";
import { abandonedMax, abandonedTotalMax, importLeaseMs, noProgress } from "../../services/registry/imports/imports.ts";
import { MongoImports } from "../../services/registry/mongo/imports/mongo-imports.ts";
import { newId } from "../../services/registry/values/identifiers.ts";
import { eventually } from "../harness/eventually.ts";
import { storeHistoryOf } from "../harness/store-history-of.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const database = await openTestDatabase();
afterEach(async () => {
  time.ms = startMs;
  await database.collections.imports.deleteMany({});
});
const startMs = Date.parse("2026-11-23T12:00:00.000Z");
const time = { ms: startMs };
const importsAt = (clock: Clock) =>
  new MongoImports(database.collections, storeHistoryOf(database), clock, () => new Date(time.ms));
const imports = importsAt(systemClock);

/** Creates an import and queues its examination. @returns the import's id */
async function queueImport(storeId: string): Promise<string> {
  const id = newId("imp");
  await imports.create({ id, storeId, actor: "Ada", fileName: "orders.csv" });
  await imports.start(storeId, id, "examining", "Ada");
  return id;
}

test("a store's imports run one at a time, so that other stores' imports can start", async () => {
  const large = newId("sto");
  const small = newId("sto");
  const [first, second] = [await queueImport(large), await queueImport(large)];
  const later = await queueImport(small);
  const claim = await imports.claim();
  expect(claim).toMatchObject({ id: first, storeId: large });
  if (claim === undefined) return;
  const other = await imports.claim();
  expect(other).toMatchObject({ id: later, storeId: small });
  expect(await imports.claim()).toBeUndefined();

  await imports.release(claim);
  const again = await imports.claim();
  expect(again).toMatchObject({ id: first });
  if (again === undefined || other === undefined) return;
  await imports.finish(again, noProgress, null);
  const next = await imports.claim();
  expect(next).toMatchObject({ id: second });
  if (next === undefined) return;
  await Promise.all([next, other].map((one) => imports.finish(one, noProgress, null)));
  expect(await imports.claim()).toBeUndefined();
});

test("an expired claim blocks neither its import nor the other imports of the store", async () => {
  const storeId = newId("sto");
  const first = await queueImport(storeId);
  const second = await queueImport(storeId);
  expect(await imports.claim()).toMatchObject({ id: first });
  time.ms += importLeaseMs;
  expect(await imports.claim()).toMatchObject({ id: first });
  time.ms += importLeaseMs;
  await database.collections.imports.deleteOne({ _id: first });
  expect(await imports.claim()).toMatchObject({ id: second });
});

test("a replica whose clock is ahead does not claim an import that another replica runs", async () => {
  await queueImport(newId("sto"));
  const held = await imports.claim();
  const ahead = { now: () => systemClock.now() + 2 * importLeaseMs, sleep: systemClock.sleep };
  expect(await importsAt(ahead).claim()).toBeUndefined();
  if (held !== undefined) expect(await imports.renew(held)).toBe(true);
});

test("an import that six replicas in a row have left unfinished fails, unless one of them released it", async () => {
  const id = await queueImport(newId("sto"));
  const counts: (number | undefined)[] = [];
  const claim = async () => {
    const claimed = await imports.claim();
    counts.push(claimed?.abandonedCount);
    time.ms += importLeaseMs;
    return claimed;
  };
  await claim();
  const released = await claim();
  if (released !== undefined) await imports.release(released);
  for (let count = 0; count < abandonedMax; count += 1) await claim();
  expect(counts).toEqual([0, 1, 0, 1, 2, 3, 4, 5]);

  const issuer = () => () => Promise.reject(new Error("the import was run"));
  const runner = createImportRunner({ queue: imports, issuer, logger: captureLog().logger });
  runner.start();
  onTestFinished(() => runner.stop());
  const stored = () => database.collections.imports.findOne({ _id: id });
  await eventually(async () => expect(await stored()).toMatchObject({ state: "examined" }));
  expect(await stored()).toMatchObject({ fault: { line: 0, reason: { code: "import_failed" } } });
  expect(await imports.claim()).toBeUndefined();
});

test("an import that advances in each run fails only after 30 replicas have left it unfinished", async () => {
  const storeId = newId("sto");
  const id = await queueImport(storeId);
  const counts: (number | undefined)[] = [];
  const totals: (number | undefined)[] = [];
  for (let run = 1; run <= abandonedTotalMax; run += 1) {
    const claim = await imports.claim();
    counts.push(claim?.abandonedCount);
    totals.push(claim?.abandonedTotal);
    // Each run begins again at the start of the file.
    const further = { ...noProgress, bytesRead: run * 1_000 };
    if (claim !== undefined)
      for (const progress of [claim.progress, further]) await imports.save(claim, progress, undefined);
    time.ms += importLeaseMs;
  }
  expect(new Set(counts.slice(1))).toEqual(new Set([1]));
  expect(totals).toEqual(Array.from({ length: abandonedTotalMax }, (_, index) => index));

  const issuer = () => () => Promise.reject(new Error("the import was run"));
  const runner = createImportRunner({ queue: imports, issuer, logger: captureLog().logger });
  runner.start();
  const stored = () => database.collections.imports.findOne({ _id: id });
  await eventually(async () => expect(await stored()).toMatchObject({ state: "examined" }));
  await runner.stop();
  expect(await stored()).toMatchObject({ fault: { line: 0, reason: { code: "import_failed" } } });
  // A merchant who starts it again begins a new count.
  await imports.start(storeId, id, "examining", "Ada");
  expect(await imports.claim()).toMatchObject({ id, abandonedTotal: 0 });
});

test("an import whose lease expires while the database is unavailable is released afterwards", async () => {
  const id = await queueImport(newId("sto"));
  const unavailable = () => new ServiceError("unavailable", "The database is unavailable.");
  const [claim, release] = [imports.claim.bind(imports), imports.release.bind(imports)];
  let failuresLeft = 0;
  vi.spyOn(imports, "readPart").mockImplementation(() => {
    time.ms += importLeaseMs;
    failuresLeft = 2;
    return Promise.reject(unavailable());
  });
  vi.spyOn(imports, "claim").mockImplementation(() => (failuresLeft > 0 ? Promise.reject(unavailable()) : claim()));
  vi.spyOn(imports, "release").mockImplementation(async (claimed) => {
    if (failuresLeft > 1) {
      failuresLeft -= 1;
      throw unavailable();
    }
    const isReleased = await release(claimed);
    failuresLeft = 0;
    return isReleased;
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const counts: number[] = [];
  const issuer = ({ abandonedCount }: { readonly abandonedCount: number }) => {
    counts.push(abandonedCount);
    return () => Promise.reject(new Error("the import was run"));
  };
  const clock: Clock = { now: steadyClock.now, sleep: (ms, signal) => steadyClock.sleep(ms / 100, signal) };
  const runner = createImportRunner({ queue: imports, issuer, logger: captureLog().logger, clock });
  runner.start();
  onTestFinished(() => runner.stop());
  await eventually(() => expect(counts.length).toBeGreaterThan(abandonedMax));
  expect(new Set(counts)).toEqual(new Set([0]));
  expect(await database.collections.imports.findOne({ _id: id })).toMatchObject({ state: "examining", fault: null });
});
