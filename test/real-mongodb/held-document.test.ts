import { MongoClient } from "mongodb";
import { expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { createTestLedger } from "../harness/ledger-fixture.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { database } = registry;

// MongoDB ends expired transactions only periodically; without a setting, after 60 s.
const endsWithinMs = 120_000;

test("a transaction of another client on a store's document makes only this store's changes unavailable, and ends by itself", async ({
  onTestFinished,
}) => {
  const [heldId, freeId] = [await createTestStore(registry), await createTestStore(registry)];
  const other = new MongoClient(database.uri, { appName: "another client" });
  onTestFinished(() => other.close());
  const session = other.startSession();
  session.startTransaction();
  const stores = other.db().collection<{ _id: string }>(database.collections.stores.collectionName);
  await stores.updateOne({ _id: heldId }, { $set: { held: true } }, { session });

  const { issue } = createTestLedger(database);
  await issue(freeId);
  const refusal: unknown = await issue(heldId).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: "unavailable" });
  await issue(freeId);
  await eventually(() => issue(heldId), { withinMs: endsWithinMs });
  await expect(session.commitTransaction()).rejects.toThrow();
  await session.endSession();
  const found = await database.collections.certificates.countDocuments({ store: { $in: [heldId, freeId] } });
  expect(found).toBe(3);
  expect(await stores.countDocuments({ held: true })).toBe(0);
}, 180_000);
