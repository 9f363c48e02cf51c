import { defineConfig } from "vitest/config";

const testsWithoutServers = ["test/guard/**/*.test.ts", "test/harness/**/*.test.ts"];
const unitTests = ["services/**/*.test.ts", "deploy/**/*.test.ts", ...testsWithoutServers];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // The servers under test share two cores with the tests.
    maxWorkers: 2,
    // Two projects, so that only a run that needs a database server waits for one.
    projects: [
      { extends: true, test: { name: "unit", include: unitTests } },
      {
        extends: true,
        test: {
          name: "servers",
          include: ["test/**/*.test.ts"],
          exclude: testsWithoutServers,
          globalSetup: ["test/harness/global-setup.ts"],
        },
      },
    ],
  },
});
