import { availableParallelism } from "node:os";
import { connect } from "nats";
import { steadyClock } from "#shared/time/clock.ts";
import { ensureIndexes } from "../../../services/registry/mongo/opening/ensure-indexes.ts";
import { captureLog } from "../../harness/captured-log.ts";
import { startMemoryDatabase } from "../../harness/memory-database.ts";
import { flag, integer, stackOptions, text } from "../../harness/program/command-line.ts";
import { openTestDatabase } from "../../harness/test-database.ts";
import { startTestNats } from "../../harness/test-nats.ts";
import { runHistories } from "../../simulation/run-histories.ts";
import { openSimulatedStream } from "../../simulation/simulated-stream.ts";
import { abortReason, defineCheck } from "../runner/check.ts";
import { runInProcesses } from "./run-in-processes.ts";
import { runMutations } from "./run-mutations.ts";

/**
 * `npm run check:connector` runs random histories of the models in test/simulation, or, with `--mutations`, shows that
 * the models find each of the faults that they were made for.
 */
export const connectorCheck = defineCheck({
  name: "connector",
  options: {
    histories: integer(1, 1_000_000, "histories to run, at most; with --mutations, of each mutation").default(2_000),
    seed: integer(0, 2 ** 32 - 1, "seed of the first history; the others follow").default(1),
    triggers: flag("runs the model of triggers instead of that of orders"),
    first: flag("ends at the first difference"),
    mutations: flag("runs the mutations of test/simulation/mutations.ts, each until its first difference"),
    only: text("text", "runs only the mutations whose name contains this text").optional(),
    processes: integer(1, 64, "processes among which the work is divided").default(availableParallelism()),
    uri: text("uri", "connection string of a running database server; default: starts one").optional(),
    nats: text("url", "URL of a running NATS server; default: starts one").optional(),
    noBuild: stackOptions.noBuild,
  },
  zero: {
    differences: "differences between a store at rest and what its final orders, rules and tags require",
    unfound: "mutations without a difference",
  },
  start: async ({ options: { uri, nats, noBuild }, log, onClose }) => {
    const [database, stream] = [
      uri === undefined ? await startMemoryDatabase(log, !noBuild) : undefined,
      nats === undefined ? await startTestNats() : undefined,
    ];
    onClose(() => database?.stop());
    onClose(() => stream?.close());
    return { uri: uri ?? database?.url ?? "", nats: nats ?? stream?.url ?? "" };
  },
  examine: async (servers, { options, signal, log }) => {
    const { histories: count, seed: firstSeed, triggers, first, mutations, only = "" } = options;
    const processes = Math.min(options.processes, count);
    if (mutations) {
      const found = await runMutations({ servers, histories: count, firstSeed, only, processes, signal, log });
      return { ...found, judged: ["unfound"], endedEarly: abortReason(signal) };
    }
    if (processes > 1) {
      const found = await runInProcesses({ servers, count, firstSeed, triggers, first, processes, signal });
      return { ...found, endedEarly: abortReason(signal) };
    }
    await using model = await openModel(servers);
    const startedAt = steadyClock.now();
    const { count: histories, differences } = await runHistories(model, {
      model: triggers ? "triggers" : "orders",
      firstSeed,
      count,
      shouldEnd: (found) => signal.aborted || (first && found > 0),
    });
    const seconds = Math.round((steadyClock.now() - startedAt) / 1_000);
    return {
      counts: { histories, firstSeed, seconds, differences: differences.length, unfound: 0 },
      findings: differences,
      endedEarly: abortReason(signal),
    };
  },
});

async function openModel({ uri, nats }: { readonly uri: string; readonly nats: string }) {
  const database = await openTestDatabase(uri);
  await ensureIndexes(database.client, { logger: captureLog().logger, clock: steadyClock });
  const connection = await connect({ servers: nats });
  const close = async () => {
    await connection.close();
    await database.close();
  };
  return { ...database, stream: await openSimulatedStream(connection), [Symbol.asyncDispose]: close };
}
