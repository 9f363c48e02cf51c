import { integer, seed, text } from "../../../deploy/local/stack/command-line.ts";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";
import { runVitest } from "../../harness/program/run-vitest.ts";
import { actorRandom } from "../../harness/seeded-random.ts";
import { defineCheck } from "../runner/check.ts";
import { stopProcesses } from "./stop-processes.ts";

/**
 * `npm run check:stalls` runs tests while random processes of the run, or all of them, stand still for seconds, as on a
 * busy machine. Each test must pass.
 */
export const stallsCheck = defineCheck({
  name: "stalls",
  options: {
    files: text("parts", "runs the test files whose paths contain one of these words").default(
      "services/ test/integration test/e2e test/faults test/browser",
    ),
    stopMaxMs: integer(3, 60_000, "longest stop; the shortest takes a third of it").default(3_000),
    stopEveryMs: integer(1, 3_600_000, "mean pause between two stops").default(3_000),
    seed,
    root: text("folder", "runs the tests of this folder, with its Vitest configuration").default(projectFolder),
  },
  zero: { failed: "tests that failed, and test files that cannot be loaded" },
  start: async () => undefined,
  examine: async (_, { options: { files, stopMaxMs, stopEveryMs, seed: ofRun, root }, signal }) => {
    const over = new AbortController();
    const random = actorRandom(ofRun, "stops");
    let stopping = Promise.resolve(0);
    const onStart = (pid: number) => {
      const ends = AbortSignal.any([signal, over.signal]);
      stopping = stopProcesses(pid, { random, maxMs: stopMaxMs, everyMs: stopEveryMs, signal: ends });
      // Awaited once the tests have ended.
      stopping.catch(() => undefined);
    };
    // The runner writes to standard output itself.
    const run = runVitest(files.split(/\s+/), { root, reportTo: 2, signal, onStart });
    const { passed, skipped, failed } = await run.finally(() => {
      over.abort();
      return stopping;
    });
    return {
      counts: { passed, failed: failed.length, skipped, stops: await stopping },
      findings: failed,
    };
  },
});
