import { spreadOf } from "../compare.ts";
import { timeNpmStart } from "../start/time-npm-start.ts";
import { type ServiceName, serviceNames, timeService } from "../start/time-service.ts";
import { figuresOnly, type Part } from "./part.ts";

/**
 * Measures how long each service takes until `/readyz` reports ready, while database, NATS and the other services run.
 * Then measures how long `npm start` takes on a machine on which everything is installed: with an empty data folder,
 * where it also imports the demo orders and waits for their webhooks, and with the data of the previous start.
 */
export const measureStart: Part = async (stack, { rounds }, signal) => {
  const measured: Record<ServiceName, Awaited<ReturnType<typeof timeService>>[]> = {
    ...{ registry: [], edge: [], notifier: [] },
  };
  // The first start of each service reads the files from the disk; it does not count.
  for (let round = 0; round <= rounds; round++) {
    for (const name of serviceNames) {
      const times = await timeService(stack, name, signal);
      if (round > 0) measured[name].push(times);
    }
  }
  const services = serviceNames.flatMap((name) => [
    [`${name}_ms`, spreadOf(measured[name].map(({ ms }) => ms))] as const,
    [`${name}_cpu_ms`, spreadOf(measured[name].map(({ cpuMs }) => cpuMs))] as const,
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
