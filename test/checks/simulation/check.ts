import { availableParallelism } from "node:os";
import { connect } from "nats";
import { z } from "zod";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { decimal, flag, integer, stackOptions, text } from "../../../deploy/local/stack/command-line.ts";
import { ensureIndexes } from "../../../services/registry/mongo/opening/ensure-indexes.ts";
import { startOwnDatabase } from "../../harness/own-database.ts";
import { openTestDatabase } from "../../harness/test-database.ts";
import { startTestNats } from "../../harness/test-nats.ts";
import { openEventStream } from "../../simulation/event-stream.ts";
import {
  type Histories,
  modelNames,
  type RealModelName,
  realModelNames,
  runHistories,
  runRealHistories,
  shortenHistory,
} from "../../simulation/run-histories.ts";
import { abortReason, defineCheck } from "../runner/check.ts";
import { type ModelServers, runInProcesses } from "./run-in-processes.ts";
import { runMutations } from "./run-mutations.ts";

/** How often a wrong history runs to find a shorter one that is wrong, too. */
const runsMax = 150;

/**
 * `npm run check:simulation` runs random histories of the models in test/simulation, or, with `--mutations`, shows that
 * the models find each of the faults that they were made for.
 */
export const simulationCheck = defineCheck({
  name: "simulation",
  options: {
    seeds: integer(1, 10_000_000, "seeds, with a history of each model; with --mutations, of each mutation").default(
      500,
    ),
    seed: integer(0, 2 ** 32 - 1, "the first seed; the others follow").default(1),
    minutes: decimal(0.1, 10_080, "ends after this time").optional(),
    model: z
      .enum(modelNames)
      .meta({ description: `runs only this model: ${modelNames.join(", ")}`, placeholder: "<model>" })
      .optional(),
    focus: text(
      "words",
      "runs directed histories, which make only the choices with these words, again and again; needs --model",
    ).optional(),
    first: flag("ends at the first difference; a history that fails is none"),
    mutations: flag(
      "runs the mutations of test/simulation/mutations.ts, each until its first difference; with --real, those of orders and triggers",
    ),
    only: text("text", "runs only the mutations whose name contains this text").optional(),
    processes: integer(1, 64, "processes among which the work is divided").default(availableParallelism()),
    shorten: flag("with --mutations: also shortens the history that finds a mutation"),
    whole: flag("does not shorten the first wrong history"),
    real: flag("runs on a database server and a NATS server instead of simulated ones; a seed then decides less"),
    uri: text("uri", "connection string of a running database server, for --real; default: starts one").optional(),
    nats: text("url", "URL of a running NATS server, for --real; default: starts one").optional(),
    noBuild: stackOptions.noBuild,
  },
  refuse: ({ real, model, focus }) => {
    if (focus !== undefined && model === undefined) return "--focus needs --model.";
    return real && model !== undefined && !realModelNames.some((name) => name === model)
      ? `The model ${model} runs only in simulated worlds: leave out --real.`
      : undefined;
  },
  zero: {
    differences: "differences between what a history must lead to and what it led to",
    failures: "histories that ended with an error",
    unfound: "mutations without a difference",
  },
  start: async ({ options: { real, uri, nats, noBuild }, log, onClose }) => {
    if (!real) return undefined;
    const [database, stream] = [
      uri === undefined ? await startOwnDatabase({ log, buildFast: !noBuild }) : undefined,
      nats === undefined ? await startTestNats(onClose) : undefined,
    ];
    onClose(() => database?.stop());
    return { uri: uri ?? database?.url ?? "", nats: nats ?? stream?.url ?? "" };
  },
  examine: async (servers: ModelServers | undefined, { options, signal, log }) => {
    const {
      seeds: count,
      seed: firstSeed,
      model,
      focus,
      minutes,
      first,
      whole,
      shorten,
      mutations,
      only = "",
    } = options;
    const processes = Math.min(options.processes, count);
    if (mutations) {
      const found = await runMutations({ servers, count, firstSeed, model, only, shorten, processes, signal, log });
      return { ...found, judged: ["unfound"], endedEarly: abortReason(signal) };
    }
    if (processes > 1) {
      const found = await runInProcesses({
        servers,
        count,
        firstSeed,
        model,
        focus,
        minutes,
        first,
        whole,
        processes,
        signal,
      });
      return { ...found, endedEarly: abortReason(signal) };
    }
    const startedAt = steadyClock.now();
    const seconds = () => (steadyClock.now() - startedAt) / 1_000;
    const hasPassed = () => minutes !== undefined && seconds() >= minutes * 60;
    const shouldEnd = (found: number) => signal.aborted || hasPassed() || (first && found > 0);
    const histories = { firstSeed, count, ...(focus !== undefined && { focus }), shouldEnd };
    const result =
      servers === undefined
        ? await runHistories({ ...histories, models: model === undefined ? modelNames : [model] })
        : await runOnServers(servers, {
            ...histories,
            models: realModelNames.filter((name) => name === (model ?? name)),
          });
    const { differences, failures, firstWrong } = result;
    const shortened =
      firstWrong === undefined || whole || servers !== undefined ? [] : await shortenHistory(firstWrong, runsMax);
    const perSecond = Math.round((10 * result.count) / seconds()) / 10;
    return {
      counts: {
        histories: result.count,
        firstSeed,
        seconds: Math.round(seconds()),
        perSecond,
        differences: differences.length,
        failures: failures.length,
        unfound: 0,
        digest: result.digest,
      },
      findings: [...differences, ...failures],
      lines: shortened,
      endedEarly: abortReason(signal),
    };
  },
});

async function runOnServers({ uri, nats }: ModelServers, histories: Histories<RealModelName>) {
  await using opened = new AsyncDisposableStack();
  const database = await openTestDatabase((close) => opened.defer(close), uri);
  await ensureIndexes(database.client, { logger: captureLog().logger, clock: steadyClock });
  const connection = await connect({ servers: nats });
  opened.defer(() => connection.close());
  const result = await runRealHistories(histories, { ...database, stream: await openEventStream(connection) });
  return { ...result, digest: undefined };
}
