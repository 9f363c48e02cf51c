import type { Side, Turn } from "../alternate.ts";
import type { BenchStack } from "../bench-stack.ts";
import { cpuOf, ratioOf, spreadOf } from "../compare.ts";
import type { WorkerTarget } from "../loads/transfer-workers.ts";
import type { BenchOptions } from "../options.ts";
import { compareSides, type Finding } from "./part.ts";
import { openLoad } from "./sides.ts";
import { issueIn } from "./stores.ts";

// More events than one core can deliver per second, so that a turn lasts at least as long as requested.
const backlogPerSecond = 1_000;
// Half of the notifier's default limit of concurrent deliveries (NOTIFIER_CONCURRENCY_MAX). The CPU time of a plain
// loop is the same with 64, 128 and 256.
const baselineWorkers = 128;

/**
 * Compares the delivery of a backlog of many stores, including claims and recorded outcomes, with plain loops that send
 * signed messages: `posts` with a full handshake per message, `resumed` with resumed TLS sessions, like the notifier.
 * All sides run at full speed, send bodies of the same length to the same receiver and open a new TLS connection per
 * message with the same key exchange groups. The plain loops use Node's check of the certificate's host name; the
 * notifier has its own.
 */
export async function measureBacklog(
  stack: BenchStack,
  targets: readonly WorkerTarget[],
  options: BenchOptions,
  signal: AbortSignal,
): Promise<Finding> {
  const { arrivals, pids } = stack;
  const loopsOf = async (name: "posts" | "resumed") => {
    const setup = { port: arrivals.port, caPem: stack.caPem, workers: baselineWorkers, resumes: name === "resumed" };
    const load = await openLoad(stack, "baseline-posts.ts", setup);
    const processes = { client: load.pid, receiver: pids.receiver };
    return { name, ...load, processes, settle: () => arrivals.collect(0) };
  };
  const title = `webhooks: a backlog over ${targets.length} stores; compared with ${baselineWorkers} plain loops`;
  const sides = [notifierSide(stack, targets), loopsOf("posts"), loopsOf("resumed")];
  return compareSides(title, sides, options, signal, perCore);
}

/** Creates the side that delivers a backlog of these stores' messages to the stack's receiver. */
export function notifierSide(stack: BenchStack, targets: readonly WorkerTarget[]): Side {
  const { arrivals, deliveries, pids } = stack;
  let backlog = 0;
  return {
    name: "service",
    processes: pids,
    prepare: async (durationMs) => {
      await deliveries.pause();
      const perStore = Math.ceil((backlogPerSecond * durationMs) / 1_000 / targets.length);
      for (const { storeId } of targets) await issueIn(stack, storeId, perStore);
      await deliveries.whenTaken();
      backlog = perStore * targets.length;
    },
    round: async () => {
      const startedAt = Date.now();
      await deliveries.resume();
      const arrived = await arrivals.collect(backlog);
      await deliveries.whenSettled();
      const lastAt = Math.max(...arrived.map(({ arrivedAt }) => arrivedAt));
      return { units: backlog, elapsedMs: lastAt - startedAt };
    },
  };
}

/**
 * Returns the CPU time of notifier and registry per delivery, in microseconds and as a ratio to that of `posts` and of
 * `resumed`. The inverse ratios to `posts` (`per_core_…`), also for the notifier alone, compare the deliveries per
 * CPU second.
 */
function perCore({ service, posts, resumed }: Readonly<Record<string, readonly Turn[]>>) {
  const services = cpuOf(service, "notifier", "registry");
  return {
    cpu_ratio: ratioOf(services, cpuOf(posts, "client")),
    cpu_ratio_resumed: ratioOf(services, cpuOf(resumed, "client")),
    per_core_notifier_of_posts: ratioOf(cpuOf(posts, "client"), cpuOf(service, "notifier")),
    per_core_services_of_posts: ratioOf(cpuOf(posts, "client"), services),
    cpu_micros_services: spreadOf(services),
    cpu_micros_with_servers: spreadOf(cpuOf(service, "notifier", "registry", "database", "messages")),
  };
}
