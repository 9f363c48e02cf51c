import { eventually } from "../../harness/eventually.ts";
import { actorRandom } from "../../harness/seeded-random.ts";
import { partOf } from "../../harness/stack/start-stack.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { AcknowledgedChanges } from "../runner/acknowledged-changes.ts";
import { Counter } from "../runner/counter.ts";
import { ProcessKiller } from "../runner/process-killer.ts";
import { type CheckReport, runCheck } from "../runner/run-check.ts";
import { runWorkload } from "../runner/run-workload.ts";
import { compareMirror, watermarkOf } from "./compare-mirror.ts";
import { type MirrorsOptions, mirrorsCommand } from "./options.ts";
import { reportOf } from "./report.ts";
import { restoreBackup, saveBackup } from "./restore.ts";
import { type MirrorsStack, startMirrorsStack } from "./stack.ts";
import type { Mirror } from "./start-mirror.ts";

const catchUpWithinMs = 120_000;

/**
 * Runs the mirrors check: programs copy stores with the client library, through webhook messages and the list.
 * Meanwhile, all processes are killed (notifiers at each delivery step), and the database is restored from a backup.
 */
export const runMirrorsCheck = () =>
  runCheck(mirrorsCommand, (options) => ({
    seed: options.seed,
    start: (signal, log) => startMirrorsStack(options, signal, log),
    examine: (stack, signal, log) => examine(options, stack, signal, log),
  }));

async function examine(
  options: MirrorsOptions,
  stack: MirrorsStack,
  signal: AbortSignal,
  log: Log,
): Promise<CheckReport> {
  const { mirrors, stepKills, edges } = stack;
  const stores = mirrors.map(({ store }) => store);
  const parts = new Parts(options, stack, signal, log);
  let endedEarly = await parts.run("before");
  if (endedEarly === undefined) {
    await saveBackup(stack, log);
    const kept = stores.map(({ certificateIds }) => certificateIds.length);
    const savedAt = new Date().toISOString();
    endedEarly = await parts.run("lost");
    // The copies must contain changes that the restore undoes.
    await untilRead(mirrors, savedAt);
    await restoreBackup(stack, log);
    for (const [index, { certificateIds }] of stores.entries()) certificateIds.length = kept[index] ?? 0;
  }
  const restoredAt = new Date().toISOString();
  endedEarly ??= await parts.run("after");
  // A mirror that has read nothing since the restore cannot have noticed it, whether or not it ignores the epoch.
  if (options.ignoreEpoch && endedEarly === undefined) await untilRead(mirrors, restoredAt);
  stepKills.stop();
  await untilQuiet(stack);
  const edgeUrl = partOf(edges).url;
  const compared = await Promise.all(mirrors.map((one) => compareMirror(one, edgeUrl, options.ignoreEpoch)));
  const { changes, kills } = parts;
  return reportOf(options, { compared, changes, kills, stepKills: stepKills.counts(), endedEarly });
}

/** Runs the parts of the check. In each, writers make changes while processes are killed. */
class Parts {
  changes = 0;
  kills = 0;
  readonly #options: MirrorsOptions;
  readonly #stack: MirrorsStack;
  readonly #signal: AbortSignal;
  readonly #log: Log;
  #count = 0;

  constructor(options: MirrorsOptions, stack: MirrorsStack, signal: AbortSignal, log: Log) {
    this.#options = options;
    this.#stack = stack;
    this.#signal = signal;
    this.#log = log;
  }

  /** Runs the part called `name`. @returns why it ended early; undefined if it made enough changes and kills */
  async run(name: string): Promise<string | undefined> {
    const { seed, writers, killEveryMs: everyMs, changes, ignoreEpoch } = this.#options;
    const { database, nats, registries, edges, mirrors, stepKills } = this.#stack;
    const acknowledged = new AcknowledgedChanges();
    const parts = [database, nats, ...registries, ...edges, ...mirrors];
    const killer = new ProcessKiller({
      processes: parts.flatMap((part) => part?.process ?? []),
      everyMs,
      changes: () => acknowledged.count,
      random: actorRandom(seed, `killer ${name}`),
    });
    // By the end of each part, another third of the required kills at steps must have been made.
    const stepShare = ++this.#count / 3;
    const endedEarly = await runWorkload({
      seed,
      writers,
      writerPrefix: name,
      registries,
      acknowledged,
      killer,
      stores: mirrors.map(({ store }) => store),
      calls: new Counter(),
      signal: this.#signal,
      log: this.#log,
      // What mirrors that ignore the epoch miss does not depend on kills.
      isEnough: () =>
        acknowledged.count >= changes && (ignoreEpoch || (killer.killedAll && stepKills.progress >= stepShare)),
      progress: () => `${name}: ${acknowledged.count} changes, ${killer.kills} kills, ${stepKills.kills} at steps`,
    });
    this.changes += acknowledged.count;
    this.kills += killer.kills;
    return endedEarly;
  }
}

/** Waits until each mirror has read a page of the list with changes made after `time`. */
async function untilRead(mirrors: readonly Mirror[], time: string): Promise<void> {
  const check = async (mirror: Mirror) => {
    const watermark = await watermarkOf(mirror);
    if (watermark === null || watermark <= time) throw new Error(`a mirror has not read the changes since ${time}`);
  };
  for (const mirror of mirrors) await eventually(() => check(mirror), { withinMs: catchUpWithinMs, everyMs: 500 });
}

/** Waits until no more changes are made: a call that a writer has abandoned may still commit. */
async function untilQuiet({ collections }: MirrorsStack): Promise<void> {
  let changes = -1;
  const check = async () => {
    const before = changes;
    changes = await collections.history.countDocuments();
    if (changes !== before) throw new Error("changes are still made after the end of the writers");
  };
  await eventually(check, { withinMs: 60_000, everyMs: 2_000 });
}
