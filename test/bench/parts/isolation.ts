import { setTimeout as delay } from "node:timers/promises";
import { quantile } from "../../checks/runner/statistics.ts";
import type { BenchStack } from "../bench-stack.ts";
import { spreadOf } from "../compare.ts";
import type { WorkerTarget } from "../loads/transfer-workers.ts";
import { paths } from "../receiver/paths.ts";
import { startReceiverProcess } from "../receiver/receiver-process.ts";
import { type Measured, measureUndisturbed, stolenPercentOf } from "../stolen-time.ts";
import type { Part } from "./part.ts";
import { createStores, issueIn } from "./stores.ts";
import { waitsAtSteadyPace } from "./webhook-latency.ts";

const goodStores = 49;
const certificatesOfStore = 20;
// 5,000 with rounds of two seconds.
const backlogPerSecond = 2_500;
// So that a round is long against what it takes to make its backlogs.
const windowsOfRound = 3;
const issuedAtOnce = 500;
// Until the bad store's deliveries hang, and the backlog is where it belongs.
const settlingMs = 1_500;
const shares = [
  ["p50", 0.5],
  ["p99", 0.99],
] as const;

/**
 * What a store whose receiver hangs for 8 s, with a backlog, costs the others: how long their messages take to arrive beside
 * it, and beside the same changes of a store without a receiver, in turns.
 */
export const measureIsolation: Part = async (stack, options) => {
  const receiver = await startReceiverProcess(stack.receiverCertificate);
  stack.onClose(() => receiver.close());
  const urlOf = (path: string) => `https://127.0.0.1:${receiver.port}${path}`;
  const [badId = "", ...goodIds] = await createStores(stack, goodStores + 1);
  const targets: WorkerTarget[] = [];
  for (const storeId of goodIds) {
    targets.push({ storeId, certificateIds: await issueIn(stack, storeId, certificatesOfStore) });
    await stack.registry.admin.setWebhook({ storeId, url: urlOf(paths.notifier), createSecret: true });
  }
  const backlog = Math.ceil((backlogPerSecond * options.roundMs) / 1_000);
  const waits = async () => {
    await receiver.collect(0);
    return (await waitsAtSteadyPace(stack, receiver, targets, options)).sinceAnswer;
  };
  // The database has the same to do before both; without a URL, events are skipped.
  const phases = [
    { name: "without", windows: [] as Window[], url: "", whenThere: stack.deliveries.whenSettled },
    {
      name: "beside",
      windows: [] as Window[],
      url: urlOf(paths.hanging),
      whenThere: stack.deliveries.whenTaken,
    },
  ] as const;
  for (let round = 0; round < options.rounds; round++) {
    // Each is first in turn: the database gets fuller.
    for (const { name, windows, url, whenThere } of round % 2 === 0 ? phases : phases.toReversed()) {
      await stack.registry.admin.setWebhook({ storeId: badId, url });
      await issueBacklog(stack, badId, backlog);
      await whenThere();
      await delay(settlingMs);
      windows.push(...(await measureUndisturbed(waits, { count: windowsOfRound })));
      stack.say(`round ${round + 1} of ${options.rounds}, ${name}: measured`);
      // What waits is skipped, and what hangs ends by itself.
      await stack.registry.admin.setWebhook({ storeId: badId, url: "" });
      await stack.deliveries.whenSettled();
    }
  }
  await receiver.close();
  const [without, beside] = phases;
  const title = `webhooks: ms until messages of ${goodStores} stores arrive, without and beside one that hangs with ${backlog} events`;
  return {
    hanging_store: { title, sides: {}, shareOf: {}, numbers: comparisonOf(without.windows, beside.windows) },
  };
};

type Window = Measured<readonly number[]>;

/** Quantiles of each window, and of all together: of a single one, the worst hundredth is a matter of luck. */
function comparisonOf(without: readonly Window[], beside: readonly Window[]) {
  const numbers = shares.flatMap(([name, share]) => {
    const ofEach = (windows: readonly Window[]) =>
      spreadOf(windows.map(({ value }) => quantile(value, share)));
    const ofAll = (windows: readonly Window[]) =>
      quantile(
        windows.flatMap(({ value }) => value),
        share,
      );
    return [
      [`without_${name}_ms`, ofEach(without)],
      [`beside_${name}_ms`, ofEach(beside)],
      [`rise_${name}_of_all`, ofAll(beside) / ofAll(without)],
    ] as const;
  });
  const stolen = stolenPercentOf([...without, ...beside]);
  return Object.fromEntries([...numbers, ["stolen_percent", stolen]]);
}

async function issueBacklog(stack: BenchStack, storeId: string, count: number): Promise<void> {
  for (let left = count; left > 0; left -= issuedAtOnce)
    await issueIn(stack, storeId, Math.min(left, issuedAtOnce));
}
