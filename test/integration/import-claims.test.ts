import { afterAll, afterEach, expect, test } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { noProgress } from "../../services/registry/imports/imports.ts";
import { MongoImports } from "../../services/registry/mongo/mongo-imports.ts";
import { newId } from "../../services/registry/values/identifiers.ts";
import { storeHistoryOf } from "../harness/store-history-of.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const database = await openTestDatabase();
afterAll(() => database.close());
afterEach(() => database.collections.imports.deleteMany({}));
const imports = new MongoImports(database.collections, storeHistoryOf(database), systemClock);
const lifeMs = 30_000;

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
  const claim = await imports.claim(lifeMs);
  expect(claim).toMatchObject({ id: first, storeId: large });
  if (claim === undefined) return;
  const other = await imports.claim(lifeMs);
  expect(other).toMatchObject({ id: later, storeId: small });
  expect(await imports.claim(lifeMs)).toBeUndefined();

  await imports.release(claim);
  const again = await imports.claim(lifeMs);
  expect(again).toMatchObject({ id: first });
  if (again === undefined || other === undefined) return;
  await imports.finish(again, noProgress, null);
  const next = await imports.claim(lifeMs);
  expect(next).toMatchObject({ id: second });
  if (next === undefined) return;
  await Promise.all([next, other].map((one) => imports.finish(one, noProgress, null)));
  expect(await imports.claim(lifeMs)).toBeUndefined();
});

test("an expired claim blocks neither its import nor the other imports of the store", async () => {
  const storeId = newId("sto");
  const first = await queueImport(storeId);
  const second = await queueImport(storeId);
  expect(await imports.claim(-1)).toMatchObject({ id: first });
  expect(await imports.claim(-1)).toMatchObject({ id: first });
  await database.collections.imports.deleteOne({ _id: first });
  expect(await imports.claim(lifeMs)).toMatchObject({ id: second });
});
