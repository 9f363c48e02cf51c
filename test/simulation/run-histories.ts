import { createHash } from "node:crypto";
import { runHistory } from "./connector-history.ts";
import { runEdgeHistory } from "./edge-history.ts";
import { runFeedHistory } from "./feed-history.ts";
import { HistoryScript, shorten } from "./history-script.ts";
import { runInWorld, type SimulatedWorld } from "./run-in-world.ts";
import type { SimulatedDatabase } from "./simulated-registry.ts";
import { runTriggerHistory } from "./trigger-history.ts";
import { runWebhookHistory } from "./webhook-history.ts";

/** A model that also runs on real servers. */
interface Model {
  /** Runs the history with this seed. @returns what is wrong */
  readonly run: (database: SimulatedDatabase, seed: number, script?: HistoryScript) => Promise<string[]>;
  /** The number of histories that run at the same time on real servers, for which they wait most of the time. */
  readonly concurrency: number;
}

const models = {
  // Each history has a store of its own, so they do not affect each other.
  orders: { run: runHistory, concurrency: 6 },
  // A claim finds the triggers of all stores.
  triggers: { run: runTriggerHistory, concurrency: 1 },
} as const satisfies Readonly<Record<string, Model>>;

/** The name of a model that also runs on real servers. */
export type RealModelName = keyof typeof models;

/** The name of a model. */
export type ModelName = (typeof modelNames)[number];

/** All models that also run on real servers. */
export const realModelNames = ["orders", "triggers"] as const satisfies readonly RealModelName[];

/** All models. */
export const modelNames = [...realModelNames, "feed", "webhooks", "edge"] as const;

/** The histories to run. */
export interface Histories<Name> {
  /** Each seed has a history of each of these models. */
  readonly models: readonly Name[];
  readonly firstSeed: number;
  /** The number of seeds. */
  readonly count: number;
  /** Words of the choices to which histories are directed; see {@link HistoryScript}. Default: they are not. */
  readonly focus?: string;
  /** Returns whether to begin no further history, given the number of differences so far. Default: never */
  readonly shouldEnd?: (differenceCount: number) => boolean;
}

/** What the histories led to. */
interface HistoriesResult {
  /** Number of complete histories. */
  readonly count: number;
  /** What is wrong, with the model and the seed of its history. */
  readonly differences: readonly string[];
  /** The first history in which something is wrong. */
  readonly firstWrong:
    | { readonly model: ModelName; readonly seed: number; readonly focus: string | undefined }
    | undefined;
  /** The errors of histories that did not come to their judgement, likewise. */
  readonly failures: readonly string[];
}

/**
 * Runs histories with consecutive seeds, each in a world of its own, which the seed determines.
 *
 * @returns also a digest of all that the histories read: the same for the same seeds
 */
export async function runHistories(
  histories: Histories<ModelName>,
): Promise<HistoriesResult & { readonly digest: string }> {
  const digest = createHash("sha256");
  const run = (name: ModelName, seed: number) =>
    runOne(name, seed, new HistoryScript(histories.focus), (reply) => digest.update(reply));
  const result = await runAll(histories, 1, run);
  return { ...result, digest: digest.digest("hex").slice(0, 16) };
}

/**
 * Leaves out what a wrong history does not need.
 *
 * @param runsMax how often the history runs, at most
 * @returns what is then wrong, and what happens in the shortened history, in order
 */
export async function shortenHistory(
  { model, seed, focus }: NonNullable<HistoriesResult["firstWrong"]>,
  runsMax: number,
): Promise<string[]> {
  let problems: readonly string[] = [];
  const isWrong = async (script: HistoryScript) => {
    // A history that fails says nothing.
    const found = await runOne(model, seed, script, () => undefined).catch(() => []);
    if (found.length > 0) problems = found;
    return found.length > 0;
  };
  const { lines } = await shorten(isWrong, runsMax, focus);
  return [`shortened history of ${model}, seed ${seed}:`, ...lines, ...problems];
}

/** Runs a history in a world, and examines what its replicas hold in the end. @returns what is wrong */
async function runOne(
  name: ModelName,
  seed: number,
  script: HistoryScript,
  onReply: (reply: Uint8Array) => void,
): Promise<string[]> {
  const { problems, world, bounds } = await runInWorld(
    seed,
    async (simulated) => ({ ...simulated, problems: await runModel(simulated, name, script) }),
    onReply,
    script.timing,
  );
  const large = await world.collections.findLarge(bounds.entriesMax);
  const held = large.map(({ process, size, keys }) => `${process.name} still holds ${size} entries: ${keys}, …`);
  return [...problems, ...held];
}

function runModel(world: SimulatedWorld, name: ModelName, script: HistoryScript): Promise<string[]> {
  if (name === "feed") return runFeedHistory(world, script);
  if (name === "edge") return runEdgeHistory(world, script);
  return name === "webhooks" ? runWebhookHistory(world, script) : models[name].run(world, world.seed, script);
}

/** Runs histories with consecutive seeds on real servers; a seed determines only the choices. */
export function runRealHistories(
  histories: Histories<RealModelName>,
  database: SimulatedDatabase,
): Promise<HistoriesResult> {
  const concurrency = Math.min(...histories.models.map((name) => models[name].concurrency));
  return runAll(histories, concurrency, (name, seed) =>
    models[name].run(database, seed, new HistoryScript(histories.focus)),
  );
}

async function runAll<Name extends ModelName>(
  { models: names, firstSeed, count, focus, shouldEnd = () => false }: Histories<Name>,
  concurrency: number,
  run: (name: Name, seed: number) => Promise<string[]>,
): Promise<HistoriesResult> {
  const seeds = Array.from({ length: count }, (_, index) => firstSeed + index).values();
  const differences: string[] = [];
  const failures: string[] = [];
  let firstWrong: HistoriesResult["firstWrong"];
  let completeCount = 0;
  const runNext = async () => {
    for (const seed of seeds)
      for (const name of names) {
        if (shouldEnd(differences.length)) return;
        const history = `${name}, seed ${seed}`;
        await run(name, seed).then(
          (found) => {
            differences.push(...found.map((difference) => `${history}: ${difference}`));
            if (found.length > 0) firstWrong ??= { model: name, seed, focus };
          },
          (error: unknown) => {
            failures.push(`${history}: failed: ${error}`);
          },
        );
        completeCount += 1;
      }
  };
  await Promise.all(Array.from({ length: concurrency }, runNext));
  return { count: completeCount, differences, firstWrong, failures };
}
