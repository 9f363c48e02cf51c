import { alternate, type Side, type Turn } from "../alternate.ts";
import type { BenchStack } from "../bench-stack.ts";
import { compare, spreadOf } from "../compare.ts";
import { startLoad } from "../load/load-process.ts";
import type { BenchOptions } from "../options.ts";
import type { ReceiverProcess } from "../receiver/receiver-process.ts";
import type { Finding } from "./part.ts";
import { issueIn } from "./stores.ts";

// More than a core can do, so that a turn lasts about as long as it is asked to, or longer.
const backlogPerSecond = 1_000;
// As many as the notifier has under way at the most, by default.
const bareWorkers = 128;

/**
 * A backlog of events of many stores, delivered as fast as the notifier can, claims, outcomes and log included, against
 * plain loops that send signed messages alike. Both open a new TLS connection for each.
 */
export async function measureBacklog(
  stack: BenchStack,
  receiver: ReceiverProcess,
  storeIds: readonly string[],
  { rounds, roundMs: durationMs }: BenchOptions,
  signal: AbortSignal,
): Promise<Finding> {
  const service = notifierSide(stack, receiver, storeIds);
  const bare = await startLoad("test/bench/loads/bare-posts.ts", {
    ...{ port: receiver.port, caPem: stack.receiverCertificate.caPem, workers: bareWorkers },
  });
  stack.onClose(() => bare.close());
  const processes = { client: bare.pid, receiver: receiver.pid };
  const loops = { name: "posts", ...bare, processes, settle: () => receiver.collect(0) };
  const turns = await alternate([service, loops], { rounds, durationMs, signal });
  await bare.close();
  return {
    title: `webhooks: a backlog over ${storeIds.length} stores; ${bareWorkers} plain loops`,
    ...compare(turns),
    numbers: perCore(turns.service ?? [], turns.posts ?? []),
  };
}

function notifierSide(stack: BenchStack, receiver: ReceiverProcess, storeIds: readonly string[]): Side {
  const { deliveries, pids } = stack;
  let backlog = 0;
  return {
    name: "service",
    processes: { ...pids, receiver: receiver.pid },
    prepare: async (durationMs) => {
      await deliveries.hold();
      const perStore = Math.ceil((backlogPerSecond * durationMs) / 1_000 / storeIds.length);
      for (const storeId of storeIds) await issueIn(stack, storeId, perStore);
      await deliveries.whenTaken();
      backlog = perStore * storeIds.length;
    },
    round: async () => {
      const startedAt = Date.now();
      await deliveries.release();
      const { arrivals } = await receiver.collect(backlog);
      await deliveries.whenSettled();
      const lastAt = Math.max(...arrivals.map(({ arrivedAt }) => arrivedAt));
      return { units: backlog, elapsedMs: lastAt - startedAt };
    },
  };
}

/** CPU time of the notifier alone and of several processes together, for each delivery. */
function perCore(
  service: readonly Turn[],
  posts: readonly Turn[],
): Record<string, ReturnType<typeof spreadOf>> {
  const cpuOf = (turn: Turn | undefined, ...names: string[]) =>
    names.reduce((sum, name) => sum + (turn?.cpuMicrosPerUnit[name] ?? Number.NaN), 0);
  const share = (...names: string[]) =>
    spreadOf(service.map((turn, round) => cpuOf(posts[round], "client") / cpuOf(turn, ...names)));
  const micros = (...names: string[]) => spreadOf(service.map((turn) => cpuOf(turn, ...names)));
  return {
    per_core_notifier_of_posts: share("notifier"),
    per_core_services_of_posts: share("notifier", "registry"),
    cpu_micros_services: micros("notifier", "registry"),
    cpu_micros_with_servers: micros("notifier", "registry", "database", "messages"),
  };
}
