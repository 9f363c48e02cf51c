import path from "node:path";
import { defineConfig } from "vitest/config";
import { cacheFolder } from "./deploy/local/servers/install-into-cache.ts";
import { compiledFolder } from "./deploy/local/stack/compiled-folder.ts";
import { LongestFirst } from "./test/harness/longest-first.ts";

// Tests that run for many seconds each. Most of that time, they wait for processes that are killed, for the end of a
// lease and for redeliveries, so other tests run beside them.
const slow = [
  "test/{checks,database-contract,faults,slow,stream-contract}/**/*.test.ts",
  // Every page in every form and on every screen: minutes of a browser's time.
  "test/browser/{docs,new-language,printed-sheets,settings-forms,settings-links,settings-pages}.test.ts",
];
// Those that keep a core or two busy for a minute, but judge neither rates nor times.
const busy = ["test/checks/{feed,mirrors,simulation}/*.test.ts"];
// Those that keep both cores busy, judge rates or times, or change the run's database server.
const alone = [
  "test/bench/**/*.test.ts",
  "test/checks/{api,attacks,limit,overload,rolling}/*.test.ts",
  "test/faults/frozen-relay.test.ts",
];
// What only MongoDB itself can show completely; on a stand-in, the tests show less. `npm run test:mongodb`.
const realMongodb = "test/real-mongodb/**/*.test.ts";
// Tests under test/ that need no servers.
const serverless = [
  "test/guard/**/*.test.ts",
  "test/harness/**/*.test.ts",
  "test/bench/{alternate,dotted-figures,options,process-cpu,steal-time}.test.ts",
  "test/bench/{memory,profile,results,sync}/*.test.ts",
  "test/checks/*/{verdict,trigger-verdict,latencies,goal,machine-watch,stall-watch,report,run-check,operations}.test.ts",
  "test/checks/{runner/workload,feed/outage,feed/settle,database/run-checks}.test.ts",
  "test/checks/overload/arrivals.test.ts",
  "test/client/**/*.test.ts",
  "test/simulation/{database,stream,world}/**/*.test.ts",
  "test/simulation/{admit-events,histories}.test.ts",
];

// Separate projects, so that only runs that need the database server wait for its start.
const withServers = {
  // Many tests start processes, which takes seconds on a busy machine.
  testTimeout: 120_000,
  // The files share the run's database server, but each uses databases of its own.
  globalSetup: ["test/harness/global-setup.ts"],
  setupFiles: ["test/harness/database-commands/setup.ts"],
};

export default defineConfig({
  // Vitest records here how long each file takes. A folder that a new clone and a new installation also find.
  cacheDir: path.join(cacheFolder(process.env), "tests"),
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A worker closes what its files share at its end.
    teardownTimeout: 60_000,
    // A page, a process or a database can take seconds on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    // The servers under test share two cores with the tests, most of which wait more than they compute: three workers
    // left a quarter of the processor time unused.
    maxWorkers: 4,
    // Reloading the modules for every test file takes longer than running the tests.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Shortens the start of the many programs that tests run.
    env: { NODE_COMPILE_CACHE: compiledFolder },
    // `npm test` runs the first two, `npm run test:all` also the others. A new file belongs to a project by its folder.
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["services/**/*.test.ts", "deploy/**/*.test.ts", ...serverless],
        },
      },
      {
        extends: true,
        test: {
          ...withServers,
          name: "servers",
          include: ["test/**/*.test.ts"],
          exclude: [...serverless, ...slow, ...busy, ...alone, realMongodb],
        },
      },
      {
        extends: true,
        test: { ...withServers, name: "slow", include: slow, exclude: [...serverless, ...busy, ...alone] },
      },
      {
        extends: true,
        test: {
          ...withServers,
          name: "busy",
          include: busy,
          exclude: serverless,
          // Two at a time, after the files above: each leaves a core unused for a part of its time.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...withServers,
          name: "alone",
          include: alone,
          exclude: serverless,
          // One after the other, after all other files. Beside the benchmark, the probes of the rolling restarts took
          // longer than their limits, and no edge was ready.
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      { extends: true, test: { ...withServers, name: "real-mongodb", include: [realMongodb] } },
    ],
  },
});
