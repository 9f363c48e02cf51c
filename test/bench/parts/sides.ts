import type { Side } from "../alternate.ts";
import type { BenchStack } from "../bench-stack.ts";
import { type LoadProcess, startLoad } from "../load/load-process.ts";

/** A side that works in a process of its own. */
export type LoadSide = Side & Pick<LoadProcess, "close">;

/** What becomes of the events that a turn has left. */
export type Afterwards = "deliver" | "leave";

/**
 * A load that calls the registry. The relay takes part as far as stores' windows let it; nothing is delivered during a
 * turn.
 *
 * @param afterwards whether the turn's events are delivered before the next turn begins, so that it begins alike
 */
export async function serviceSide<Setup>(
  stack: BenchStack,
  script: string,
  setup: Setup,
  afterwards: Afterwards,
): Promise<LoadSide> {
  const load = await startLoad(`test/bench/loads/${script}`, setup);
  stack.onClose(() => load.close());
  const { deliveries, pids } = stack;
  return {
    name: "service",
    ...load,
    processes: { registry: pids.registry, database: pids.database, client: load.pid },
    prepare: () => deliveries.hold(),
    settle: async () => {
      if (afterwards === "leave") return;
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
