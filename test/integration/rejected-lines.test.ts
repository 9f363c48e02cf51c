import { type CommandStartedEvent, MongoClient } from "mongodb";
import { afterAll, expect, test } from "vitest";
import { exportText, headRow } from "#shared/orders/csv-fixture.ts";
import { type Clock, systemClock } from "#shared/time/clock.ts";
import { runImport } from "../../services/registry/imports/run-import.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { MongoImports } from "../../services/registry/mongo/imports/mongo-imports.ts";
import { newId } from "../../services/registry/values/identifiers.ts";
import { storeHistoryOf } from "../harness/store-history-of.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const database = await openTestDatabase();
const client = new MongoClient(database.uri, { monitorCommands: true });
afterAll(async () => {
  await client.close();
  await database.close();
});
const collections = collectionsOf(client.db());
const imports = new MongoImports(collections, storeHistoryOf({ client, collections }), systemClock);

test("the rejected lines of a file are stored in commands of at most 500 lines, so that none of them delays other work", async () => {
  const storeId = newId("sto");
  const id = newId("imp");
  const rows = Array.from({ length: 1_700 }, (_, index) =>
    headRow(`#${index + 1}`, String(7_000_000 + index), { "Lineitem quantity": "many" }),
  );
  const bytes = Buffer.from(exportText(rows));
  await imports.create({ id, storeId, actor: "Ada", fileName: "orders.csv" });
  await imports.addPart(storeId, id, 0, bytes);
  await imports.start(storeId, id, "examining", "Ada");
  const claim = await imports.claim();
  if (claim === undefined) throw new Error("The import is not claimed.");
  const lineCounts: number[] = [];
  client.on("commandStarted", ({ command }: CommandStartedEvent) => {
    if (command.update === "rejectedLines") lineCounts.push(command.updates.length);
  });
  // Lines are saved after a duration. On a clock that stands still, all of them remain until the end of the file.
  const clock: Clock = { ...systemClock, now: () => 0 };
  const signal = new AbortController().signal;
  await runImport({ queue: imports, issuer: () => async () => [], clock, signal }, claim);
  expect(lineCounts.reduce((sum, count) => sum + count, 0)).toBe(1_700);
  expect(Math.max(...lineCounts)).toBeLessThanOrEqual(500);
  expect(await collections.rejectedLines.countDocuments({ store: storeId })).toBe(1_700);
  expect(await imports.find(storeId, id)).toMatchObject({ state: "examined", progress: { rejectedLines: 1_700 } });
});
