import { expect, test } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import type { Change } from "../../services/registry/certificates/ledger.ts";
import { MongoLedger } from "../../services/registry/mongo/certificates/mongo-ledger.ts";
import { sharedRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await sharedRegistry();
const { client, collections } = registry.database;

/** Creates a ledger whose database time stands still, 20 ms ahead of the store's clock. */
async function ledgerOf(storeId: string): Promise<MongoLedger> {
  const now = new Date();
  await collections.stores.updateOne({ _id: storeId }, { $set: { clock: new Date(now.getTime() - 20) } });
  const deps = { client, collections, clock: systemClock, databaseTime: () => now, onEvents: () => undefined };
  return new MongoLedger({ ...deps, serviceVerifyUrl: "https://verify.example.test/c" });
}

const repeated: Change<string> = { needs: {}, maxTimestamps: 0, maxSerials: 0, decide: () => "known" };

/** Returns a change that stores a response if `isNew` returns true, and otherwise writes nothing. */
const writing = (isNew: () => boolean, maxTimestamps: number): Change<string> => ({
  needs: {},
  maxTimestamps,
  maxSerials: 0,
  decide: (draft) => {
    if (isNew()) draft.answers.set("request-1", { fingerprint: "f", answer: "{}" });
    return "written";
  },
});

test("returns only the results of the changes before the first change that needs more timestamps than are available", async () => {
  const storeId = await createTestStore(registry);
  const ledger = await ledgerOf(storeId);
  const changes = [repeated, writing(() => true, 500)];
  expect(await ledger.commit(storeId, changes, { enoughTimestamps: 10 })).toEqual(["known"]);
});

test("a commit fails at its deadline when the state changes between each decision and its confirmation", async () => {
  const storeId = await createTestStore(registry);
  const ledger = await ledgerOf(storeId);
  let decisions = 0;
  const changing = writing(() => ++decisions % 2 === 0, 1);
  const commit = ledger.commit(storeId, [changing], { timeLimitMs: 0 });
  await expect(commit).rejects.toMatchObject({ code: "unavailable" });
  expect(decisions).toBe(2);
});
