import type { Reporter, TestModule } from "vitest/node";

/**
 * A reporter for vitest that lists the tests that passed only on the second attempt, so that intermittent faults
 * remain visible.
 */
// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its file, and takes the default export.
export default class FlakyTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules.flatMap((module) =>
      [...module.children.allTests("passed")]
        .filter((test) => test.diagnostic()?.flaky)
        .map((test) => `${module.relativeModuleId} > ${test.fullName}`),
    );
    for (const name of flaky) process.stdout.write(`passed only on the second attempt: ${name}\n`);
  }
}
