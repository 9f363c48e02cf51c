import { afterAll, expect, test } from "vitest";
import { steadyClock } from "#shared/time/clock.ts";
import { ensureIndexes } from "../../services/registry/mongo/opening/ensure-indexes.ts";
import { captureLog } from "../harness/captured-log.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { runHistories } from "./run-histories.ts";

const database = await openTestDatabase();
afterAll(() => database.close());
await ensureIndexes(database.client, { logger: captureLog().logger, clock: steadyClock });

// A long run: SIMULATION_COUNT=2000 npx vitest run --project servers --retry 0 test/simulation
// Each difference names the seed of its history, which SIMULATION_SEED repeats.
const firstSeed = Number(process.env.SIMULATION_SEED ?? 1);
const count = Number(process.env.SIMULATION_COUNT ?? 24);

test("at rest, an order's certificates follow from the final state, whatever happened before", async () => {
  const wrong = await runHistories(database, { firstSeed, count });
  expect(wrong).toEqual([]);
}, 1_800_000);
