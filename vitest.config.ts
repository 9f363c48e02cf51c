import { defineConfig } from "vitest/config";

const withoutServers = ["services/**/*.test.ts", "deploy/**/*.test.ts", "test/guard/**/*.test.ts"];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // The servers under test share two cores with the tests.
    maxWorkers: 2,
    // Two projects, so that only a run that needs a database server waits for one.
    projects: [
      { extends: true, test: { name: "unit", include: withoutServers } },
      {
        extends: true,
        test: {
          name: "servers",
          include: ["test/**/*.test.ts"],
          exclude: ["test/guard/**"],
          globalSetup: ["test/harness/global-setup.ts"],
        },
      },
    ],
  },
});
