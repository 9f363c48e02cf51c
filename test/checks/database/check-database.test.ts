import { expect, inject, test } from "vitest";
import { z } from "zod";
import { resultOf } from "../../../services/registry/diagnostics/check.ts";
import { databaseServers } from "../../database-contract/servers.ts";
import { failure, startFakeDatabase } from "../../harness/fake-database.ts";
import { localServer, startOwnDatabase } from "../../harness/own-database.ts";
import { spawnProgram } from "../../harness/program/spawn-program.ts";
import { openTestDatabase } from "../../harness/test-database.ts";
import { expiryChecks } from "./expiry-checks.ts";
import { indexChecks } from "./index-checks.ts";
import { databaseOptions } from "./options.ts";
import { orphanChecks } from "./orphan-checks.ts";
import { openRig } from "./rig.ts";
import { runChecks } from "./run-checks.ts";

const counts = z.strictObject({ checks: z.int(), failed: z.int(), skipped: z.int() });

// Concurrent, because these tests mostly wait: each server deletes expired documents about once a minute.
// A short run of `npm run check:database`.
test.concurrent("no check of the installed database server fails", { timeout: 300_000 }, async ({ signal }) => {
  const options = ["--no-build", "--documents", "1000"];
  const run = await spawnProgram(counts, signal, "test/checks/database/main.ts", ...options);
  expect(run.counts, run.output).toMatchObject({ failed: 0 });
  expect(run.counts.checks).toBeGreaterThan(20);
  expect(run.counts.checks - run.counts.skipped).toBeGreaterThan(12);
  expect(run.code).toBe(0);
});

const kinds = [{ kind: "the server of the other tests", missing: undefined }, ...(await databaseServers())];

test.concurrent.for(kinds)(
  "$kind deletes expired documents, and no others",
  { timeout: 240_000 },
  async ({ kind, missing }, { skip, signal }) => {
    if (missing !== undefined) return skip(missing);
    await using opened = new AsyncDisposableStack();
    const isShared = kind === kinds[0]?.kind;
    const url = isShared
      ? inject("databaseServerUrl")
      : opened.use(await startOwnDatabase({ env: localServer(kind) })).url;
    const options = z.object(databaseOptions).parse({});
    const rig = opened.use(await openRig(url, options, signal, () => undefined));
    for (const check of [...indexChecks, ...expiryChecks])
      expect(await resultOf(check, rig), check.name).toMatchObject({ result: "passed" });
  },
);

test("rejects a URL that is not a MongoDB connection string", async ({ signal }) => {
  const run = spawnProgram(counts, signal, "test/checks/database/main.ts", "--uri", "postgres://127.0.0.1/x");
  await expect(run).rejects.toThrow("not a MongoDB connection string");
});

test.each([
  [undefined, /^certificate_registry_check_[0-9a-f]+$/],
  ["named", /^named$/],
])("with --database %s, uses and drops a database whose name MongoDB Atlas accepts", async (database, expected) => {
  await using fake = await startFakeDatabase();
  const options = z.object(databaseOptions).parse({ database });
  await (await openRig(fake.uri, options, new AbortController().signal, () => undefined))[Symbol.asyncDispose]();
  const [name = "", ...others] = new Set(fake.commands.map(({ $db }) => String($db)).filter((db) => db !== "admin"));
  expect(others).toEqual([]);
  expect(name).toMatch(expected);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(38);
  expect(fake.commands).toContainEqual(expect.objectContaining({ dropDatabase: 1, $db: name }));
});

test.each([
  [
    13,
    'not authorized on shop to execute command { insert: "startup_probes", ordered: true }',
    "the user is not permitted to run insert on the database shop (code 13). Grant the user the roles readWrite and dbAdmin on the database shop,",
  ],
  [
    8_000,
    "user is not allowed to do action [insert] on [shop.startup_probes]",
    "user is not allowed to do action [insert] on [shop.startup_probes]. Grant the user the roles readWrite and dbAdmin on its database,",
  ],
])(
  "names the missing roles and --database to a user who may not use the scratch database (code %i)",
  async (code, errmsg, expected) => {
    await using fake = await startFakeDatabase({ insert: () => ({ ...failure(code, "Unauthorized"), errmsg }) });
    const options = z.object(databaseOptions).parse({});
    await expect(openRig(fake.uri, options, new AbortController().signal, () => undefined)).rejects.toThrow(
      `The check cannot use its database: ${expected} or name with --database an empty database on which it has them.`,
    );
  },
);

test.each([13, 59, 8_000])(
  "asks for a server with killSessions, not for a role, if ending a session is refused (code %i)",
  async (code) => {
    const lines: string[] = [];
    await using fake = await startFakeDatabase({ killSessions: () => failure(code, "Refused") });
    const options = z.object(databaseOptions).parse({});
    await using rig = await openRig(fake.uri, options, new AbortController().signal, (line) => void lines.push(line));
    await runChecks(rig, orphanChecks.slice(0, 1));
    expect(lines).toEqual([
      "FAILED  the lock of a killed process ends when another process ends the session that holds it: Refused",
      "        Use a server that supports killSessions, with which every user may end its own sessions; otherwise the lock lasts for transactionLifetimeLimitSeconds.",
    ]);
  },
);

test("refuses a database that contains collections, and leaves it as it is", async ({ signal, onTestFinished }) => {
  const database = await openTestDatabase(onTestFinished);
  await database.collections.leases.insertOne({ _id: "kept", dueAt: new Date(0) });
  const options = ["--uri", inject("databaseServerUrl"), "--database", database.db.databaseName];
  const run = spawnProgram(counts, signal, "test/checks/database/main.ts", ...options);
  await expect(run).rejects.toThrow("contains the collection leases: name an empty database");
  expect(await database.collections.leases.countDocuments()).toBe(1);
});
