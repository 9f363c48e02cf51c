import { quantile } from "../../harness/statistics.ts";
import { paths } from "../arrivals.ts";
import type { BenchStack } from "../bench-stack.ts";
import { spreadOf } from "../compare.ts";
import type { WorkerTarget } from "../loads/transfer-workers.ts";
import { type Measured, measureUndisturbed, stealPercentOf } from "../steal-time.ts";
import type { Part } from "./part.ts";
import { createStores, issueIn } from "./stores.ts";
import { latenciesAtConstantRate } from "./webhook-latency.ts";

const goodStores = 49;
const certificatesOfStore = 20;
// A backlog of 5,000 events for the default round of two seconds.
const backlogPerSecond = 2_500;
// Several windows per round, because creating a backlog takes long compared with measuring one window.
const windowsOfRound = 3;
const issuedAtOnce = 500;
const shares = [
  ["p50", 0.5],
  ["p99", 0.99],
] as const;

/**
 * Measures how a store with a backlog, whose receiver hangs for 8 s per message, affects the message latency of other
 * stores. Phases with the hanging receiver alternate with phases in which the store makes the same changes but has no
 * webhook.
 */
export const measureIsolation: Part = async (stack, options) => {
  const { arrivals } = stack;
  const [badId = "", ...goodIds] = await createStores(stack, goodStores + 1);
  const targets: WorkerTarget[] = [];
  for (const storeId of goodIds) {
    targets.push({ storeId, certificateIds: await issueIn(stack, storeId, certificatesOfStore) });
    await stack.registry.admin.setWebhook({ storeId, url: arrivals.urlOf(paths.notifier), createSecret: true });
  }
  const backlog = Math.ceil((backlogPerSecond * options.roundMs) / 1_000);
  const measure = async () => {
    await arrivals.collect(0);
    return (await latenciesAtConstantRate(stack, targets, options)).sinceAnswer;
  };
  // The database does the same work before both phases; events of a store without a URL are skipped.
  const phases = [
    { name: "without", windows: [] as Window[], url: "", whenReady: stack.deliveries.whenSettled },
    {
      name: "beside",
      windows: [] as Window[],
      url: arrivals.urlOf(paths.hanging),
      whenReady: async () => {
        await stack.deliveries.whenTaken();
        await arrivals.whenHanging();
      },
    },
  ] as const;
  for (let round = 0; round < options.rounds; round++) {
    // Every other round runs the phases in reverse order, because the database grows.
    for (const { name, windows, url, whenReady } of round % 2 === 0 ? phases : phases.toReversed()) {
      // Discards messages of the previous phase.
      await arrivals.collect(0);
      await stack.registry.admin.setWebhook({ storeId: badId, url });
      await issueBacklog(stack, badId, backlog);
      await whenReady();
      windows.push(...(await measureUndisturbed(measure, { count: windowsOfRound })));
      stack.log(`measured phase "${name}" of round ${round + 1} of ${options.rounds}`);
      // Without a URL, the waiting events are skipped; hanging deliveries end with their timeout.
      await stack.registry.admin.setWebhook({ storeId: badId, url: "" });
      await stack.deliveries.whenSettled();
    }
  }
  const [without, beside] = phases;
  const title = `webhooks: latency (ms) of ${goodStores} stores, without and beside a hanging store with ${backlog} events`;
  return {
    hanging_store: { title, sides: {}, shareOf: {}, numbers: comparisonOf(without.windows, beside.windows) },
  };
};

type Window = Measured<readonly number[]>;

/** Returns quantiles per window, but their ratio over all messages, because the p99 of one window is mostly chance. */
function comparisonOf(without: readonly Window[], beside: readonly Window[]) {
  const numbers = shares.flatMap(([name, share]) => {
    const ofEach = (windows: readonly Window[]) => spreadOf(windows.map(({ value }) => quantile(value, share)));
    const allOf = (windows: readonly Window[]) => windows.flatMap(({ value }) => value);
    return [
      [`without_${name}_ms`, ofEach(without)],
      [`beside_${name}_ms`, ofEach(beside)],
      [`rise_${name}_of_all`, quantile(allOf(beside), share) / quantile(allOf(without), share)],
    ] as const;
  });
  const stolen = stealPercentOf([...without, ...beside]);
  return Object.fromEntries([...numbers, ["stolen_percent", stolen]]);
}

async function issueBacklog(stack: BenchStack, storeId: string, count: number): Promise<void> {
  for (let left = count; left > 0; left -= issuedAtOnce) await issueIn(stack, storeId, Math.min(left, issuedAtOnce));
}
