import type { Side } from "../alternate.ts";
import type { BenchStack } from "../bench-stack.ts";
import { type LoadProcess, startLoad } from "../load/load-process.ts";

/** A side, usually with a load generator in a separate process, which `close` ends. */
export type LoadSide = Side & Partial<Pick<LoadProcess, "close">>;

/** Starts a load generator, which ends with the stack. @param script a file in `loads` */
export async function openLoad({ onClose }: BenchStack, script: string, setup: unknown): Promise<LoadProcess> {
  const load = await startLoad(`test/bench/loads/${script}`, setup);
  onClose(() => load.close());
  return load;
}

/**
 * Starts a load that calls the registry. During a turn, deliveries are paused; the relay publishes events only up to
 * its limit of events in flight per store.
 *
 * @param afterwards `deliver`: the events of a turn are delivered before the next turn, so that all turns start from
 * the same state; `leave`: the events remain in the outbox
 */
export async function serviceSide(
  stack: BenchStack,
  script: string,
  setup: unknown,
  afterwards: "deliver" | "leave",
): Promise<LoadSide> {
  const load = await openLoad(stack, script, setup);
  const { deliveries, pids } = stack;
  return {
    name: "service",
    ...load,
    processes: { registry: pids.registry, database: pids.database, client: load.pid },
    prepare: () => deliveries.pause(),
    settle: async () => {
      if (afterwards === "leave") return;
      await deliveries.resume();
      await deliveries.whenSettled();
    },
  };
}

/** Starts a load that accesses the database directly, such as a baseline that uses only the database driver. */
export async function baselineSide(stack: BenchStack, name: string, script: string, setup: unknown): Promise<LoadSide> {
  const load = await openLoad(stack, script, setup);
  const { database } = stack.pids;
  return { name, ...load, processes: { database, client: load.pid } };
}
