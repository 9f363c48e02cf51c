import type { Side } from "../alternate.ts";
import type { BenchStack } from "../bench-stack.ts";
import { type LoadProcess, startLoad } from "../load/load-process.ts";

/** A side that works in a process of its own. */
export type LoadSide = Side & Pick<LoadProcess, "close">;

/**
 * A load that calls the registry. The relay takes part; what it hands over is delivered after the turn, so that turns
 * begin alike.
 */
export async function serviceSide<Setup>(stack: BenchStack, script: string, setup: Setup): Promise<LoadSide> {
  const load = await startLoad(`test/bench/loads/${script}`, setup);
  stack.onClose(() => load.close());
  const { deliveries, pids } = stack;
  return {
    name: "service",
    ...load,
    processes: { registry: pids.registry, database: pids.database, client: load.pid },
    prepare: () => deliveries.hold(),
    settle: async () => {
      await deliveries.release();
      await deliveries.whenSettled();
    },
  };
}

/** A load that does the same with nothing but the driver. */
export async function bareSide<Setup>(
  stack: BenchStack,
  name: string,
  script: string,
  setup: Setup,
): Promise<LoadSide> {
  const load = await startLoad(`test/bench/loads/${script}`, setup);
  stack.onClose(() => load.close());
  const { database } = stack.pids;
  return { name, ...load, processes: { database, client: load.pid } };
}
