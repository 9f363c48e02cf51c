import type { BenchStack } from "../bench-stack.ts";
import { spreadOf } from "../compare.ts";
import { cpuMsOf } from "../process-cpu.ts";
import { type Modules, type ServiceName, serviceNames, startReplica } from "../start/start-replica.ts";
import { timeNpmStart } from "../start/time-npm-start.ts";
import { figuresOnly, type Part } from "./part.ts";

/**
 * Measures how long each service takes from its start until `/readyz` returns 200, while the database, NATS and the
 * other services run: once like a new container, which compiles its modules, and once like `npm start`, which keeps
 * them compiled (`…_compiled_ms`). Then measures how long `npm start` takes on a machine on which everything is
 * installed: with an empty data folder, where it also imports the demo orders and waits for their webhooks, and with
 * the data of the previous start.
 */
export const measureStart: Part = async (stack, { rounds }, signal) => {
  const measured = new Map<string, Awaited<ReturnType<typeof timeService>>[]>();
  // The first start of each service reads the files from the disk and fills the cache; it does not count.
  for (let round = 0; round <= rounds; round++) {
    for (const name of serviceNames) {
      for (const modules of ["source", "compiled"] as const) {
        const times = await timeService(stack, name, modules, signal);
        const key = modules === "source" ? name : `${name}_compiled`;
        if (round > 0) measured.set(key, [...(measured.get(key) ?? []), times]);
      }
    }
  }
  const services = [...measured].flatMap(([key, times]) => [
    [`${key}_ms`, spreadOf(times.map(({ ms }) => ms))] as const,
    [`${key}_cpu_ms`, spreadOf(times.map(({ cpuMs }) => cpuMs))] as const,
  ]);
  stack.log(`  services measured; npm start, ${rounds} times …`);
  const starts = await timeNpmStart(rounds, signal);
  return {
    services: figuresOnly(`start: milliseconds from spawn to ready, ${rounds} starts`, Object.fromEntries(services)),
    npm_start: figuresOnly(`start: milliseconds of npm start until its summary, ${rounds} starts`, {
      new_ms: spreadOf(starts.withNewData),
      again_ms: spreadOf(starts.again),
    }),
  };
};

/** Starts and stops a replica of a service. @returns the elapsed time and the CPU time until it is ready, in ms */
async function timeService(stack: BenchStack, name: ServiceName, modules: Modules, signal: AbortSignal) {
  const startedAt = performance.now();
  const replica = await startReplica(stack, name, modules, signal);
  try {
    return { ms: performance.now() - startedAt, cpuMs: await cpuMsOf(replica.pid) };
  } finally {
    await replica.stop();
  }
}
