import type { BenchStack } from "../bench-stack.ts";
import { cpuMsOf } from "../process-cpu.ts";
import { type Modules, type ServiceName, startReplica } from "./start-replica.ts";

/** Elapsed time and CPU time of a start, in milliseconds. */
interface StartTimes {
  readonly ms: number;
  readonly cpuMs: number;
}

/**
 * Starts a replica of a service in addition to those of the stack, and stops it.
 *
 * @returns the milliseconds from the start of the process to the first 200 of `/readyz`, and the CPU time of the
 * process until then
 * @throws Error as for {@link startReplica}
 */
export async function timeService(
  stack: BenchStack,
  name: ServiceName,
  modules: Modules,
  signal: AbortSignal,
): Promise<StartTimes> {
  const startedAt = performance.now();
  const replica = await startReplica(stack, name, modules, signal);
  try {
    return { ms: performance.now() - startedAt, cpuMs: await cpuMsOf(replica.pid) };
  } finally {
    await replica.stop();
  }
}
