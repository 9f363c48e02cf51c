import { Binary } from "mongodb";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { until } from "../../../deploy/local/servers/until.ts";
import { newEntry } from "../../../services/registry/mongo/documents/trigger-documents.ts";
import { inStore } from "../../harness/in-store.ts";
import { quantile } from "../../harness/statistics.ts";
import type { Side, Turn } from "../alternate.ts";
import { paths } from "../arrivals.ts";
import type { BenchStack } from "../bench-stack.ts";
import { cpuOf, ratioOf, spreadOf } from "../compare.ts";
import { compareSides, type Finding, figuresOnly, type Part } from "./part.ts";
import { createStores, createTargets, issueIn } from "./stores.ts";
import { notifierSide } from "./webhook-backlog.ts";

// Events per requested second of a turn: about the rate of delivery, so that a turn lasts about as long as requested.
// Each lease and each result is a write, which limits the rate.
const backlogPerSecond = 300;
const settledWithinMs = 120_000;

/** Compares the delivery of a backlog of trigger messages with the delivery of a backlog of webhook messages. */
export const measureTriggers: Part = async (stack, options, signal) => {
  const { stores } = options;
  const url = stack.arrivals.urlOf(paths.triggers);
  const storeIds = await createStores(stack, stores);
  for (const storeId of storeIds) await stack.registry.triggers.createTrigger({ url }, inStore(storeId));
  const targets = await createTargets(stack, stores, stack.arrivals.urlOf(paths.notifier));
  await stack.deliveries.whenSettled();
  await stack.arrivals.collect(0);
  const webhooks = { ...notifierSide(stack, targets), name: "webhooks" };
  const title = `triggers: a backlog over ${stores} stores; compared with the webhook messages of as many stores`;
  return {
    backlog: await compareSides(title, [triggerSide(stack, storeIds), webhooks], options, signal, costsOf),
    backoff: await measureBackoff(stack, storeIds[0] ?? ""),
  };
};

const backoffCount = 10_000;
const claimCount = 40;

/** Compares claims of a healthy trigger's event without and with many triggers in backoff. */
async function measureBackoff({ collections, pids, registry }: BenchStack, store: string): Promise<Finding> {
  process.kill(pids.notifier, "SIGSTOP");
  try {
    const withoutMs = await claimTimes(registry, store);
    await addTriggersInBackoff(collections, store);
    const withMs = await claimTimes(registry, store);
    const [before, after] = [quantile(withoutMs, 0.5), quantile(withMs, 0.5)];
    const title = `triggers: a claim of an event (ms), without and with ${backoffCount} triggers in backoff`;
    return figuresOnly(title, { without_ms: before, with_ms: after, ratio_with: after / before });
  } finally {
    process.kill(pids.notifier, "SIGCONT");
  }
}

/** Issues certificates one by one, and claims and records the event of each. @returns the duration of each claim */
async function claimTimes(registry: BenchStack["registry"], storeId: string): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < claimCount; count++) {
    await issueIn({ registry }, storeId, 1);
    const startedAt = performance.now();
    const { leases } = await registry.triggerDeliveries.claimTriggerDeliveries({ notifierId: "bench", limit: 10 });
    times.push(performance.now() - startedAt);
    if (leases.length !== 1) throw new Error(`${leases.length} events were leased`);
    const attempts = leases.map(({ deliveryId, leaseToken }) => {
      return { deliveryId, leaseToken, outcome: { kind: OutcomeKind.DELIVERED } };
    });
    await registry.triggerDeliveries.recordTriggerAttempts({ attempts });
  }
  return times;
}

/** Adds copies of a store's trigger, each of its own store, paused, and with an event that is due. */
async function addTriggersInBackoff({ triggers, triggerDeliveries }: BenchStack["collections"], store: string) {
  const copied = await triggers.findOne({ store });
  if (copied === null) throw new Error("the store has no trigger");
  const now = Date.now();
  const [at, event] = [new Date(now), new Binary(Buffer.alloc(800))];
  for (let from = 0; from < backoffCount; from += 1_000) {
    const ids = Array.from({ length: 1_000 }, (_, index) => `trg_backoff_${from + index}`);
    const until = (index: number) => now + 600_000 + index;
    await triggers.insertMany(
      ids.map((_id, index) => {
        const times = { dueAt: until(index), nextAt: now, pausedUntil: until(index), timedAt: now };
        return { ...copied, ...times, _id, store: _id, failures: 9, leases: [] };
      }),
    );
    await triggerDeliveries.insertMany(
      ids.map((trigger) => {
        const ofTrigger = { store: trigger, trigger, certificate: "crt_backoff", type: 1, at, event };
        const { fresh: _fresh, ...head } = newEntry({ ...ofTrigger, eventId: "evt_backoff" }, at);
        return head;
      }),
    );
  }
}

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
function costsOf({ triggers, webhooks }: Readonly<Record<string, readonly Turn[]>>) {
  const services = ["notifier", "registry"];
  const all = [...services, "database", "messages"];
  return {
    cpu_ratio_webhooks: ratioOf(cpuOf(triggers, ...services), cpuOf(webhooks, ...services)),
    cpu_ratio_webhooks_with_servers: ratioOf(cpuOf(triggers, ...all), cpuOf(webhooks, ...all)),
    cpu_micros_services: spreadOf(cpuOf(triggers, ...services)),
    cpu_micros_with_servers: spreadOf(cpuOf(triggers, ...all)),
  };
}
