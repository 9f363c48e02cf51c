import { expect, test } from "vitest";
import { advanceClock } from "../../services/registry/mongo/certificates/store-clock.ts";
import { takeComparedDates } from "../harness/database-commands/sent-by-tests.ts";
import { issueOne } from "../harness/issue-items.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const isLate = [{ $set: { isLate: { $gt: ["$$NOW", "$clock"] } } }];
const finding = 'aggregate: {"$gt":["$$NOW","$clock"]}';

test("a comparison of $$NOW with a stored date is found, whether a test's client or a registry sends it", async ({
  onTestFinished,
}) => {
  const registry = await openTestRegistry(
    {
      overrides: {
        advance: async (stores, ...rest) => {
          await stores.aggregate(isLate).toArray();
          return advanceClock(stores, ...rest);
        },
      },
    },
    onTestFinished,
  );
  const storeId = await createTestStore(registry);
  expect(takeComparedDates()).toEqual([]);
  await registry.database.collections.stores.aggregate(isLate).toArray();
  expect(takeComparedDates()).toEqual([finding]);
  await issueOne(registry, storeId);
  expect(takeComparedDates()).toEqual([finding]);
});
