import { setTimeout as delay } from "node:timers/promises";
import { quantile } from "../../check/statistics.ts";
import type { BenchStack } from "../bench-stack.ts";
import { spreadOf } from "../compare.ts";
import type { WorkerTarget } from "../loads/transfer-workers.ts";
import { paths } from "../receiver/paths.ts";
import { startReceiverProcess } from "../receiver/receiver-process.ts";
import type { Part } from "./part.ts";
import { createStores, issueIn } from "./stores.ts";
import { waitsAtSteadyPace } from "./webhook-latency.ts";

const goodStores = 49;
const certificatesOfStore = 20;
// 5,000 with rounds of two seconds.
const backlogPerSecond = 2_500;
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
  const without: (readonly number[])[] = [];
  const beside: (readonly number[])[] = [];
  for (let round = 0; round < options.rounds; round++) {
    // The database has the same to do before both; without a URL, what waits is skipped, and what hangs ends by itself.
    await stack.registry.admin.setWebhook({ storeId: badId, url: "" });
    await issueBacklog(stack, badId, backlog);
    await stack.deliveries.whenSettled();
    await delay(settlingMs);
    without.push(await waits());
    await stack.registry.admin.setWebhook({ storeId: badId, url: urlOf(paths.hanging) });
    await issueBacklog(stack, badId, backlog);
    await stack.deliveries.whenTaken();
    await delay(settlingMs);
    beside.push(await waits());
  }
  await stack.registry.admin.setWebhook({ storeId: badId, url: "" });
  await stack.deliveries.whenSettled();
  await receiver.close();
  const title = `webhooks: ms until messages of ${goodStores} stores arrive, without and beside one that hangs with ${backlog} events`;
  return { hanging_store: { title, sides: {}, shareOf: {}, numbers: comparisonOf(without, beside) } };
};

/** Quantiles of each round, and of all rounds together: of a single one, the worst hundredth is a matter of luck. */
function comparisonOf(without: readonly (readonly number[])[], beside: readonly (readonly number[])[]) {
  const numbers = shares.flatMap(([name, share]) => {
    const ofEach = (rounds: readonly (readonly number[])[]) =>
      spreadOf(rounds.map((waits) => quantile(waits, share)));
    const rise = quantile(beside.flat(), share) / quantile(without.flat(), share);
    return [
      [`without_${name}_ms`, ofEach(without)],
      [`beside_${name}_ms`, ofEach(beside)],
      [`rise_${name}_of_all`, rise],
    ] as const;
  });
  return Object.fromEntries(numbers);
}

async function issueBacklog(stack: BenchStack, storeId: string, count: number): Promise<void> {
  for (let left = count; left > 0; left -= issuedAtOnce)
    await issueIn(stack, storeId, Math.min(left, issuedAtOnce));
}
