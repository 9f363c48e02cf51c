import { connect } from "nats";
import { afterAll, expect, test } from "vitest";
import { steadyClock } from "#shared/time/clock.ts";
import { ensureIndexes } from "../../services/registry/mongo/opening/ensure-indexes.ts";
import { captureLog } from "../harness/captured-log.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { openEventStream } from "./event-stream.ts";
import { runRealHistories } from "./run-histories.ts";

const database = await openTestDatabase();
const nats = await startTestNats();
const connection = await connect({ servers: nats.url });
afterAll(async () => {
  await connection.close();
  await nats.close();
  await database.close();
});
await ensureIndexes(database.client, { logger: captureLog().logger, clock: steadyClock });

// `npm run check:simulation -- --real` runs many more histories.
test("at rest, an order's certificates follow from the final state, whatever happened before", async () => {
  const stream = await openEventStream(connection);
  const histories = { models: ["orders"], firstSeed: 1, count: 4 } as const;
  const result = await runRealHistories(histories, { ...database, stream });
  expect(result).toMatchObject({ differences: [], failures: [] });
});
