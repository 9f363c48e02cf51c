import { afterAll, expect, test } from "vitest";
import { steadyClock } from "#shared/time/clock.ts";
import { ensureIndexes } from "../../services/registry/mongo/opening/ensure-indexes.ts";
import { captureLog } from "../harness/captured-log.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { runRealHistories } from "./run-histories.ts";

const database = await openTestDatabase();
afterAll(() => database.close());
await ensureIndexes(database.client, { logger: captureLog().logger, clock: steadyClock });

// `npm run check:simulation -- --model triggers --real` runs many more histories.
test("each event reaches its trigger, in order for each certificate, whichever process is frozen or killed", async () => {
  const result = await runRealHistories({ models: ["triggers"], firstSeed: 1, count: 2 }, database);
  expect(result).toMatchObject({ differences: [], failures: [] });
});
