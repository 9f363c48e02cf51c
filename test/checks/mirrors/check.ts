import { flag, integer, seed, stackOptions } from "../../../deploy/local/stack/command-line.ts";
import { deliverySteps } from "../../../services/notifier/delivery-steps.ts";
import { eventually } from "../../harness/eventually.ts";
import { openTemporaryFolder } from "../../harness/files/temporary-folder.ts";
import { startPostgres } from "../../harness/postgres/start-postgres.ts";
import { actorRandom } from "../../harness/seeded-random.ts";
import { partOf, type Stack } from "../../harness/stack/start-stack.ts";
import { sum } from "../../harness/statistics.ts";
import { defineCheck } from "../runner/check.ts";
import { Workload } from "../runner/workload.ts";
import { unlimited, writerTimeoutMs } from "../runner/workload-store.ts";
import { taskVariables } from "../webhooks/notifier-task.ts";
import { StepKills } from "../webhooks/step-kills.ts";
import { type ComparedMirror, compareMirror, watermarkOf } from "./compare-mirror.ts";
import { restoreBackup, saveBackup } from "./restore.ts";
import { type Mirror, startMirror } from "./start-mirror.ts";

const catchUpWithinMs = 120_000;

/**
 * `npm run check:mirrors`: programs copy stores with the client library, through webhook messages and the list.
 * Meanwhile, all processes are killed (notifiers at each delivery step), and the database is restored from a backup.
 */
export const mirrorsCheck = defineCheck({
  name: "mirrors",
  options: {
    changes: integer(
      1,
      100_000_000,
      "minimum number of changes in each of the three parts of the run; a part also continues until there are enough kills",
    ).default(2_000),
    seed,
    writers: integer(1, 1_000, "writers, each with one change in progress").default(8),
    notifiers: integer(1, 20, "notifier replicas").default(3),
    killsPerStep: integer(1, 1_000, "minimum number of notifier kills at each delivery step").default(4),
    killEveryMs: integer(1, 3_600_000, "mean time between two kills of a server, a service or a mirror").default(1_500),
    ignoreEpoch: flag("mirrors ignore the feed's epoch; the check does not wait for kills, and is expected to fail"),
    ...stackOptions,
  },
  notes: {
    before: `A run has three parts. A backup is saved after the first one and restored after the second one, whose changes are
lost.`,
  },
  zero: {
    missing: "certificates of the list that a mirror lacks",
    different: "certificates that differ from the list",
    phantom: "certificates that a mirror has and the list does not",
    unnoticed: "mirrors that follow the feed from before the restore",
  },
  // Two registries, two edges, notifiers that kill themselves at delivery steps, and the mirrors of two stores.
  start: async ({ options, startStack, onClose }) => {
    const { changes, notifiers, killsPerStep, seed, ignoreEpoch: ignoresEpoch } = options;
    const files = await openTemporaryFolder("check-mirrors-files", onClose);
    const postgres = await startPostgres();
    onClose(() => postgres.close());
    const stepKills = new StepKills({
      logFile: `${files}/kills`,
      steps: deliverySteps,
      killsPerStep,
      // Spreads the kills over the run.
      countMax: Math.ceil(changes / (deliverySteps.length * killsPerStep)),
      random: actorRandom(seed, "kills at steps"),
    });
    const notifier = {
      script: "test/checks/webhooks/notifier.ts",
      killsItself: true,
      env: () => taskVariables({ handling: "usual", targetsFile: "", kill: stepKills.next() }),
    };
    const stack = await startStack({
      registries: [{ env: unlimited }, { env: unlimited }],
      edges: [{}, {}],
      notifiers: Array.from({ length: notifiers }, () => notifier),
      callTimeoutMs: writerTimeoutMs,
    });
    const start = (kind: Mirror["kind"], location: string, edge: number) =>
      startMirror(stack, { kind, location, edgeUrl: partOf(stack.edges, edge).url, ignoresEpoch });
    const mirrors = [await start("SQLite", `${files}/copy.db`, 0), await start("PostgreSQL", postgres.url, 1)];
    return { ...stack, stepKills, mirrors, backupFolder: `${files}/backup` };
  },
  examine: async (stack, { options, signal, log }) => {
    const { database, nats, registries, edges, mirrors, stepKills } = stack;
    const { seed, writers, killEveryMs: everyMs } = options;
    const stores = mirrors.map(({ store }) => store);
    const total = { changes: 0, kills: 0 };

    /** Writers make changes while processes are killed. @returns why it ended early; undefined if it did not */
    const runPart = async (name: string, number: number): Promise<string | undefined> => {
      const parts = [database, nats, ...registries, ...edges, ...mirrors];
      const processes = parts.flatMap((part) => part?.process ?? []);
      const kills = { processes, everyMs, random: actorRandom(seed, `killer ${name}`) };
      const workload = new Workload({ seed, writers, writerPrefix: name, registries, kills, signal, log });
      const { changes, killer } = workload;
      const killCount = () => killer?.kills ?? 0;
      // By the end of each part, another third of the required kills at steps must have been made.
      const isKilledEnough = () => killer?.killedAll === true && stepKills.progress >= number / 3;
      const endedEarly = await workload.run({
        stores,
        // What mirrors that ignore the epoch miss does not depend on kills.
        isEnough: () => changes() >= options.changes && (options.ignoreEpoch || isKilledEnough()),
        progress: () => `${name}: ${changes()} changes, ${killCount()} kills, ${stepKills.kills} at steps`,
      });
      total.changes += changes();
      total.kills += killCount();
      return endedEarly;
    };

    let endedEarly = await runPart("before", 1);
    if (endedEarly === undefined) {
      await saveBackup(stack, log);
      const kept = stores.map(({ certificateIds }) => certificateIds.length);
      const savedAt = new Date().toISOString();
      endedEarly = await runPart("lost", 2);
      // The copies must contain changes that the restore undoes.
      await untilRead(mirrors, savedAt);
      await restoreBackup(stack, log);
      for (const [index, { certificateIds }] of stores.entries()) certificateIds.length = kept[index] ?? 0;
    }
    const restoredAt = new Date().toISOString();
    endedEarly ??= await runPart("after", 3);
    // A mirror that has read nothing since the restore cannot have noticed it, whether or not it ignores the epoch.
    if (options.ignoreEpoch && endedEarly === undefined) await untilRead(mirrors, restoredAt);
    stepKills.stop();
    await untilQuiet(stack);
    const edgeUrl = partOf(edges).url;
    const compared = await Promise.all(mirrors.map((one) => compareMirror(one, edgeUrl, options.ignoreEpoch)));
    const sumOf = (count: (one: ComparedMirror) => number) => sum(compared.map(count));
    const isComplete = endedEarly === undefined;
    return {
      lines: compared.map(
        ({ mirror, certificates }) =>
          `${mirror.kind}: ${certificates} certificates, ${mirror.messages()} messages, ${mirror.syncs()} catch-ups`,
      ),
      findings: compared.flatMap(({ mirror: { kind }, missing, different, phantom }) => [
        ...missing.map((id) => `${kind} lacks ${id}`),
        ...different.map((id) => `${kind} has another ${id} than the list`),
        ...phantom.map((id) => `${kind} has ${id}, which the list does not have`),
      ]),
      counts: {
        seed,
        changes: total.changes,
        missing: sumOf(({ missing }) => missing.length),
        different: sumOf(({ different }) => different.length),
        phantom: sumOf(({ phantom }) => phantom.length),
        unnoticed: isComplete ? compared.filter(({ followsRestore }) => !followsRestore).length : 0,
        complete: isComplete,
        kills: total.kills,
        step_kills: stepKills.kills,
        mirrors: compared.length,
        messages: sumOf(({ mirror }) => mirror.messages()),
        catch_ups: sumOf(({ mirror }) => mirror.syncs()),
        ignore_epoch: options.ignoreEpoch,
        seconds: Math.round(performance.now() / 1_000),
      },
      endedEarly,
    };
  },
});

/** Waits until each mirror has read a page of the list with changes made after `time`. */
async function untilRead(mirrors: readonly Mirror[], time: string): Promise<void> {
  const check = async (mirror: Mirror) => {
    const watermark = await watermarkOf(mirror);
    if (watermark === null || watermark <= time) throw new Error(`a mirror has not read the changes since ${time}`);
  };
  for (const mirror of mirrors) await eventually(() => check(mirror), { withinMs: catchUpWithinMs, everyMs: 500 });
}

/** Waits until no more changes are made: a call that a writer has abandoned may still commit. */
async function untilQuiet({ collections }: Pick<Stack, "collections">): Promise<void> {
  let changes = -1;
  const check = async () => {
    const before = changes;
    changes = await collections.history.countDocuments();
    if (changes !== before) throw new Error("changes are still made after the end of the writers");
  };
  await eventually(check, { everyMs: 2_000 });
}
