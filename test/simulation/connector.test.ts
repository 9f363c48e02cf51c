import { afterAll, expect, test } from "vitest";
import { steadyClock } from "#shared/time/clock.ts";
import { ensureIndexes } from "../../services/registry/mongo/ensure-indexes.ts";
import { captureLog } from "../harness/captured-log.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { runHistories } from "./run-histories.ts";

const database = await openTestDatabase();
afterAll(() => database.close());
await ensureIndexes(database.client, { logger: captureLog().logger, clock: steadyClock });

const firstSeed = Number(process.env.SIMULATION_SEED ?? 1);
const count = Number(process.env.SIMULATION_COUNT ?? 24);

test("at rest, an order's certificates follow from the final state, whatever happened before", async () => {
  const wrong = await runHistories(database, { firstSeed, count });
  expect(wrong).toEqual([]);
}, 600_000);
