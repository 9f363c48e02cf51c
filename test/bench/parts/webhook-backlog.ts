import { alternate, type Side, type Turn } from "../alternate.ts";
import type { BenchStack } from "../bench-stack.ts";
import { compare, spreadOf } from "../compare.ts";
import { startLoad } from "../load/load-process.ts";
import type { BenchOptions } from "../options.ts";
import type { Finding } from "./part.ts";
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
  storeIds: readonly string[],
  { rounds, roundMs: durationMs }: BenchOptions,
  signal: AbortSignal,
): Promise<Finding> {
  const { arrivals, pids } = stack;
  const service = notifierSide(stack, storeIds);
  const loopsOf = async (name: "posts" | "resumed") => {
    const setup = { port: arrivals.port, caPem: stack.caPem, workers: baselineWorkers, resumes: name === "resumed" };
    const load = await startLoad("test/bench/loads/baseline-posts.ts", setup);
    stack.onClose(() => load.close());
    const processes = { client: load.pid, receiver: pids.receiver };
    return { name, ...load, processes, settle: () => arrivals.collect(0) };
  };
  const loops = [await loopsOf("posts"), await loopsOf("resumed")];
  const turns = await alternate([service, ...loops], { rounds, durationMs, signal });
  await Promise.all(loops.map((side) => side.close()));
  return {
    title: `webhooks: a backlog over ${storeIds.length} stores; compared with ${baselineWorkers} plain loops`,
    ...compare(turns),
    numbers: perCore(turns),
  };
}

/** Creates the side that delivers a backlog of these stores' messages to the stack's receiver. */
export function notifierSide(stack: BenchStack, storeIds: readonly string[]): Side {
  const { arrivals, deliveries, pids } = stack;
  let backlog = 0;
  return {
    name: "service",
    processes: pids,
    prepare: async (durationMs) => {
      await deliveries.pause();
      const perStore = Math.ceil((backlogPerSecond * durationMs) / 1_000 / storeIds.length);
      for (const storeId of storeIds) await issueIn(stack, storeId, perStore);
      await deliveries.whenTaken();
      backlog = perStore * storeIds.length;
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
 * `resumed`. The inverse ratios to `posts` (`per_core_…`), also for the notifier alone, compare the deliveries per CPU
 * second.
 */
function perCore(turns: Readonly<Record<string, readonly Turn[]>>): Record<string, ReturnType<typeof spreadOf>> {
  const { service = [], posts = [], resumed = [] } = turns;
  const cpuOf = (turn: Turn | undefined, ...names: string[]) =>
    names.reduce((sum, name) => sum + (turn?.cpuMicrosPerUnit[name] ?? Number.NaN), 0);
  const share = (...names: string[]) =>
    spreadOf(service.map((turn, round) => cpuOf(posts[round], "client") / cpuOf(turn, ...names)));
  const micros = (...names: string[]) => spreadOf(service.map((turn) => cpuOf(turn, ...names)));
  const ratioTo = (loops: readonly Turn[]) =>
    spreadOf(service.map((turn, round) => cpuOf(turn, "notifier", "registry") / cpuOf(loops[round], "client")));
  return {
    cpu_ratio: ratioTo(posts),
    cpu_ratio_resumed: ratioTo(resumed),
    per_core_notifier_of_posts: share("notifier"),
    per_core_services_of_posts: share("notifier", "registry"),
    cpu_micros_services: micros("notifier", "registry"),
    cpu_micros_with_servers: micros("notifier", "registry", "database", "messages"),
  };
}
