import { BSON } from "mongodb";
import { expect, test } from "vitest";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { readTransactionLifetime } from "../../services/registry/mongo/opening/transaction-lifetime.ts";
import { type Answer, failure, openFakeDatabase } from "../harness/fake-database.ts";

async function read(answer: Answer) {
  const { client } = await openFakeDatabase({ getParameter: () => answer });
  const { logger, lines } = captureLog();
  const seconds = await readTransactionLifetime(client, logger);
  return { seconds, warnings: lines.map(({ level, msg }) => [level, msg]) };
}

test.each([
  ["15", { transactionLifetimeLimitSeconds: 15 }, 15],
  ["3 (64-bit)", { transactionLifetimeLimitSeconds: BSON.Long.fromNumber(3) }, 3],
])("accepts a lifetime of %s without a warning", async (_what, answer, seconds) => {
  expect(await read(answer)).toEqual({ seconds, warnings: [] });
});

test("warns about a transaction lifetime over 15 seconds and states the remedy", async () => {
  const warning =
    "the database's transactionLifetimeLimitSeconds is too high: a killed registry can leave stores locked for that long; set it to 15";
  expect(await read({ transactionLifetimeLimitSeconds: 60 })).toEqual({ seconds: 60, warnings: [[40, warning]] });
});

test.each([
  ["refuses to return the parameter", failure(13, "Unauthorized")],
  ["does not know the parameter", {}],
])("assumes MongoDB's default of 60 seconds and logs a warning when the server %s", async (_what, answer) => {
  const warning = "cannot read the database's transactionLifetimeLimitSeconds; make sure that it is 15 or less";
  expect(await read(answer)).toEqual({ seconds: 60, warnings: [[40, warning]] });
});
