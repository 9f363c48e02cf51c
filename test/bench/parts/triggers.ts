import { until } from "../../../deploy/local/servers/until.ts";
import { alternate, type Side, type Turn } from "../alternate.ts";
import { paths } from "../arrivals.ts";
import type { BenchStack } from "../bench-stack.ts";
import { compare, spreadOf } from "../compare.ts";
import type { Part } from "./part.ts";
import { createStores, createTargets, issueIn } from "./stores.ts";
import { notifierSide } from "./webhook-backlog.ts";

// Events per requested second of a turn: about the rate of delivery, so that a turn lasts about as long as requested.
// Each lease and each result is a write, which limits the rate.
const backlogPerSecond = 300;
const settledWithinMs = 120_000;

/** Compares the delivery of a backlog of trigger messages with the delivery of a backlog of webhook messages. */
export const measureTriggers: Part = async (stack, { stores, rounds, roundMs: durationMs }, signal) => {
  const url = stack.arrivals.urlOf(paths.triggers);
  const storeIds = await createStores(stack, stores);
  for (const storeId of storeIds) await stack.registry.triggers.createTrigger({ storeId, url });
  const targets = await createTargets(stack, stores, stack.arrivals.urlOf(paths.notifier));
  await stack.deliveries.whenSettled();
  await stack.arrivals.collect(0);
  const webhooks = {
    ...notifierSide(
      stack,
      targets.map(({ storeId }) => storeId),
    ),
    name: "webhooks",
  };
  const turns = await alternate([triggerSide(stack, storeIds), webhooks], { rounds, durationMs, signal });
  const title = `triggers: a backlog over ${stores} stores; compared with the webhook messages of as many stores`;
  return { backlog: { title, ...compare(turns), numbers: costs(turns.triggers ?? [], turns.webhooks ?? []) } };
};

/** Creates the side that delivers a backlog of trigger messages of these stores. */
function triggerSide(stack: BenchStack, storeIds: readonly string[]): Side {
  const { deliveries, pids, collections } = stack;
  let backlog = 0;
  return {
    name: "triggers",
    processes: pids,
    prepare: async (durationMs) => {
      // These stores have no webhook, but the notifier settles their webhook events too. The pause defers this work.
      await deliveries.pause();
      process.kill(pids.notifier, "SIGSTOP");
      const perStore = Math.ceil((backlogPerSecond * durationMs) / 1_000 / storeIds.length);
      for (const storeId of storeIds) await issueIn(stack, storeId, perStore);
      await deliveries.whenTaken();
      backlog = perStore * storeIds.length;
    },
    round: async () => {
      const startedAt = performance.now();
      process.kill(pids.notifier, "SIGCONT");
      const isSettled = async () => (await collections.triggerDeliveries.findOne({ state: "waiting" })) === null;
      await until(AbortSignal.timeout(settledWithinMs), isSettled);
      return { units: backlog, elapsedMs: performance.now() - startedAt };
    },
    settle: async () => {
      await deliveries.resume();
      await deliveries.whenSettled();
    },
  };
}

/** Returns the CPU time per trigger message, as a ratio to the CPU time per webhook message and in microseconds. */
function costs(triggers: readonly Turn[], webhooks: readonly Turn[]): Record<string, ReturnType<typeof spreadOf>> {
  const cpuOf = (turn: Turn | undefined, ...names: string[]) =>
    names.reduce((sum, name) => sum + (turn?.cpuMicrosPerUnit[name] ?? Number.NaN), 0);
  const ratio = (...names: string[]) =>
    spreadOf(triggers.map((turn, round) => cpuOf(turn, ...names) / cpuOf(webhooks[round], ...names)));
  const services = ["notifier", "registry"];
  return {
    cpu_ratio_webhooks: ratio(...services),
    cpu_ratio_webhooks_with_servers: ratio(...services, "database", "messages"),
    cpu_micros_services: spreadOf(triggers.map((turn) => cpuOf(turn, ...services))),
    cpu_micros_with_servers: spreadOf(triggers.map((turn) => cpuOf(turn, ...services, "database", "messages"))),
  };
}
