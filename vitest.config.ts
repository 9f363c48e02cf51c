import { defineConfig } from "vitest/config";
import { compiledFolder } from "./deploy/local/stack/compiled-folder.ts";
import { LongestFirst } from "./test/harness/longest-first.ts";

const slow = "test/slow/**/*.test.ts";
// Tests under test/, other than the slow ones, that need no servers.
const serverless = [
  "test/guard/**/*.test.ts",
  "test/harness/**/*.test.ts",
  "test/bench/{alternate,dotted-figures,options,process-cpu,steal-time}.test.ts",
  "test/bench/{memory,peers,profile,results,sync}/*.test.ts",
  "test/checks/*/{verdict,trigger-verdict,memory,latencies,goal,stall-watch,report,run-check,operations}.test.ts",
  "test/checks/{runner/run-workload,feed/settle,database/run-checks}.test.ts",
  "test/checks/overload/arrivals.test.ts",
  "test/client/frameworks.test.ts",
];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // The servers under test share two cores with the tests, most of which wait more than they compute.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Shortens the start of the many programs that tests run.
    env: { NODE_COMPILE_CACHE: compiledFolder },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["services/**/*.test.ts", "deploy/**/*.test.ts", ...serverless],
          // Reloading the modules for every test file takes longer than running the tests.
          isolate: false,
        },
      },
      // Tests that need no servers but take many seconds each.
      { extends: true, test: { name: "slow", include: [slow] } },
      // A separate project, so that only runs that need the database server wait for its start.
      {
        extends: true,
        test: {
          name: "servers",
          include: ["test/**/*.test.ts"],
          exclude: [...serverless, slow],
          // Many tests start processes, which takes seconds on a busy machine.
          testTimeout: 120_000,
          // A shared machine sometimes stalls for seconds. The run's last lines name tests that passed only on retry.
          retry: 1,
          // As in the unit project. The files share the run's database server, but each uses databases of its own.
          isolate: false,
          globalSetup: ["test/harness/global-setup.ts"],
          setupFiles: ["test/harness/database-commands/setup.ts"],
        },
      },
    ],
  },
});
