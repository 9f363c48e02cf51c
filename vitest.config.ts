import { defineConfig } from "vitest/config";

const guards = "test/guard/**/*.test.ts";
const slow = "test/slow/**/*.test.ts";
const harness = "test/harness/**/*.test.ts";

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // The servers under test share two cores with the tests.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: { name: "unit", include: ["services/**/*.test.ts", "deploy/**/*.test.ts", guards, harness] },
      },
      // Tests without servers that take many seconds each.
      { extends: true, test: { name: "slow", include: [slow] } },
      // A project of its own, so that only a run that needs a database waits for one.
      {
        extends: true,
        test: {
          name: "servers",
          include: ["test/**/*.test.ts"],
          exclude: [guards, harness, slow],
          globalSetup: ["test/harness/global-setup.ts"],
        },
      },
    ],
  },
});
