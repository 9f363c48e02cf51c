import { expect, test } from "vitest";
import { withDatabase } from "../../../deploy/local/servers/with-database.ts";
import { localServer, startOwnDatabase } from "../../harness/own-database.ts";
import { spawnProgram, spawnUntil } from "../../harness/program/spawn-program.ts";
import { feedCounts } from "./printed-counts.ts";

// test/e2e/feed.test.ts has the run that must find nothing.
// Long enough for a short run of `npm run check:feed` on a slow database server.
const timeout = 600_000;

const short = ["test/checks/feed/main.ts", "--changes", "1000", "--no-build"];

test("fails and reports missed or misordered changes when timestamps come from the wall clock", { timeout }, async ({
  signal,
}) => {
  const { code, counts: found } = await spawnProgram(feedCounts, signal, ...short, "--plain-clock");
  expect(found.missed + found.out_of_order).toBeGreaterThan(0);
  expect(found.plain_clock).toBe(true);
  expect(code).toBe(1);
});

test("reports a verdict on its observations and exits with code 2 when stopped", { timeout }, async ({ signal }) => {
  const args = [
    "test/checks/feed/main.ts",
    "--minutes",
    "30",
    "--no-build",
    "--no-kills",
    "--stores",
    "2",
    "--clients",
    "2",
  ];
  const { code, output, counts: found } = await spawnUntil(feedCounts, signal, /[1-9]\d* changes in/, args);
  expect(found, output).toMatchObject({ complete: false, missed: 0, out_of_order: 0, doubled: 0, phantom: 0 });
  expect(found.changes).toBeGreaterThan(0);
  expect(output).toContain("ended early (stopped by SIGTERM)");
  expect(code).toBe(2);
});

test("an outage of the database refuses requests with 503 only, and no client misses a change", { timeout }, async ({
  signal,
}) => {
  // A server that runs elsewhere cannot be stopped.
  await using server = await startOwnDatabase({ env: localServer() });
  const outage = ["--stop-database", `kill -STOP ${server.pid}`, "--start-database", `kill -CONT ${server.pid}`];
  const uri = withDatabase(server.url, "registry_feed");
  const options = ["--no-kills", "--uri", uri, ...outage, "--outage-seconds", "10"];
  const { code, output, counts: found } = await spawnProgram(feedCounts, signal, ...short, ...options);
  const flawless = { missed: 0, out_of_order: 0, doubled: 0, phantom: 0, complete: true };
  expect(found, output).toMatchObject(flawless);
  expect(output).toMatch(/the outage of the database has ended; recovery: \d/);
  expect(output).toMatch(/failed client requests and crashes: .*\b503 \d/);
  expect(code, output).toBe(0);
});
