import { deliverySteps } from "../../../services/notifier/delivery-steps.ts";
import { type Postgres, startPostgres } from "../../harness/postgres/start-postgres.ts";
import { actorRandom } from "../../harness/seeded-random.ts";
import { partOf, type Stack, startStack } from "../../harness/stack/start-stack.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { createTemporaryFolder } from "../../harness/temporary-folder.ts";
import { unlimited } from "../feed/stack.ts";
import { writerTimeoutMs } from "../runner/workload-store.ts";
import { taskVariables } from "../webhooks/notifier-task.ts";
import { StepKills } from "../webhooks/step-kills.ts";
import type { MirrorsOptions } from "./options.ts";
import { type Mirror, startMirror } from "./start-mirror.ts";

/** Two registries, two edges, notifiers that kill themselves at delivery steps, and the mirrors of two stores. */
export interface MirrorsStack extends Stack {
  readonly stepKills: StepKills;
  readonly mirrors: readonly Mirror[];
  /** Does not exist until the backup is saved. */
  readonly backupFolder: string;
}

/** Starts the stack. @throws SetupError when a part cannot be started */
export async function startMirrorsStack(options: MirrorsOptions, signal: AbortSignal, log: Log): Promise<MirrorsStack> {
  const { changes, notifiers, killsPerStep, noBuild, keep, seed } = options;
  const files = await createTemporaryFolder("check-mirrors-files");
  const random = actorRandom(seed, "kills at steps");
  // Spreads the kills over the run.
  const countMax = Math.ceil(changes / (deliverySteps.length * killsPerStep));
  const stepKills = new StepKills({
    logFile: `${files.path}/kills`,
    steps: deliverySteps,
    killsPerStep,
    countMax,
    random,
  });
  const notifier = {
    script: "test/checks/webhooks/notifier.ts",
    killsItself: true,
    env: () => taskVariables({ handling: "usual", targetsFile: "", kill: stepKills.next() }),
  };
  let postgres: Postgres | undefined;
  const removeFiles = async () => {
    await postgres?.close();
    await files.remove();
  };
  let stack: Stack | undefined;
  try {
    postgres = await startPostgres();
    stack = await startStack({
      name: "check-mirrors",
      keep,
      restart: true,
      signal,
      log,
      logLevel: "warn",
      buildFast: !noBuild,
      registries: [{ env: unlimited }, { env: unlimited }],
      edges: [{}, {}],
      notifiers: Array.from({ length: notifiers }, () => notifier),
      callTimeoutMs: writerTimeoutMs,
    });
    const start = (kind: Mirror["kind"], location: string, edge: number, running: Stack) =>
      startMirror(running, {
        kind,
        location,
        edgeUrl: partOf(running.edges, edge).url,
        ignoresEpoch: options.ignoreEpoch,
      });
    const mirrors = [
      await start("SQLite", `${files.path}/copy.db`, 0, stack),
      await start("PostgreSQL", postgres.url, 1, stack),
    ];
    const running = stack;
    const close = async () => {
      await running.close();
      await removeFiles();
    };
    return { ...stack, stepKills, mirrors, backupFolder: `${files.path}/backup`, close };
  } catch (error) {
    await stack?.close();
    await removeFiles();
    throw error;
  }
}
