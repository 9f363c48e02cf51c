import { type CommandStartedEvent, MongoClient } from "mongodb";
import { afterAll, expect, test } from "vitest";
import { exportText, headRow } from "#shared/orders/csv-fixture.ts";
import { reason } from "#shared/reasons/reason.ts";
import { type Clock, systemClock } from "#shared/time/clock.ts";
import { noProgress } from "../../services/registry/imports/imports.ts";
import { runImport } from "../../services/registry/imports/run-import.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { MongoImports } from "../../services/registry/mongo/imports/mongo-imports.ts";
import { newId } from "../../services/registry/values/identifiers.ts";
import { storeHistoryOf } from "../harness/store-history-of.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const database = await openTestDatabase();
const client = new MongoClient(database.uri, { monitorCommands: true });
afterAll(() => client.close());
const collections = collectionsOf(client.db());
const imports = new MongoImports(collections, storeHistoryOf({ client, collections }), systemClock);

test("the rejected lines of a file are stored in documents of at most 500 lines, one per command", async () => {
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
  const sent: [group: string, lines: number][] = [];
  client.on("commandStarted", ({ command }: CommandStartedEvent) => {
    if (command.update !== "rejectedLines") return;
    for (const { q, u } of command.updates) sent.push([q._id, u.lines.length]);
  });
  // Lines are saved after a duration. On a clock that stands still, all of them remain until the end of the file.
  const clock: Clock = { ...systemClock, now: () => 0 };
  const signal = new AbortController().signal;
  const lease = { renew: async () => true };
  await runImport({ queue: imports, issuer: () => async () => [], clock, signal, lease }, claim);
  expect(sent).toEqual([500, 500, 500, 200].map((lines, group) => [`${id}/${group}`, lines]));
  expect(await imports.find(storeId, id)).toMatchObject({ state: "examined", progress: { rejectedLines: 1_700 } });
});

test("an import that is stopped after a takeover has the counts of the run that got further", async () => {
  const [storeId, id] = [newId("sto"), newId("imp")];
  await imports.create({ id, storeId, actor: "Ada", fileName: "orders.csv" });
  await imports.addPart(storeId, id, 0, Buffer.from(exportText([headRow("#1", "7000001")])));
  await imports.start(storeId, id, "examining", "Ada");
  const first = await imports.claim();
  if (first === undefined) throw new Error("The import is not claimed.");
  const earlier = { ...noProgress, bytesRead: 9_000, rows: 700, issued: 600, soldOut: 5, rejectedLines: 700 };
  await imports.save(first, earlier, undefined);
  const second = { ...first, progress: earlier };
  await imports.stop(storeId, id, "Ada");
  // Each reading of the clock is a second later, so that the run saves its progress and learns of the stop.
  let seconds = 0;
  const clock: Clock = { ...systemClock, now: () => 1_000 * seconds++ };
  const lease = { renew: async () => true };
  const { signal } = new AbortController();
  await runImport({ queue: imports, issuer: () => async () => [], clock, signal, lease }, second);
  const found = await imports.find(storeId, id);
  expect(found?.fault?.reason.code).toBe("import_stopped");
  // The run has rejected no line, and its groups of lines replace the earlier ones.
  expect(found?.progress).toEqual({ ...earlier, rejectedLines: 0 });
});

test("the rejected lines are listed page by page, and those that only an unfinished run rejected are not", async () => {
  const storeId = newId("sto");
  const id = newId("imp");
  await imports.create({ id, storeId, actor: "Ada", fileName: "orders.csv" });
  await imports.addPart(storeId, id, 0, Buffer.from("Name"));
  await imports.start(storeId, id, "examining", "Ada");
  const claim = await imports.claim();
  if (claim === undefined) throw new Error("The import is not claimed.");
  const lines = Array.from({ length: 700 }, (_, index) => ({
    number: index + 1,
    line: index + 2,
    column: "Email",
    reason: reason("email_empty"),
    firstUnit: 1,
  }));
  await imports.save(claim, { ...noProgress, rejectedLines: 700 }, { number: 1, lines: lines.slice(500) });
  await imports.save(claim, { ...noProgress, rejectedLines: 650 }, { number: 0, lines: lines.slice(0, 500) });
  const numbersAfter = async (after: number) =>
    (await imports.listRejectedLines(storeId, id, after, 200)).map(({ number }) => number);
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
  expect(await numbersAfter(0)).toEqual(range(1, 200));
  expect(await numbersAfter(400)).toEqual(range(401, 600));
  expect(await numbersAfter(600)).toEqual(range(601, 650));
  expect(await numbersAfter(650)).toEqual([]);
});
