import { until } from "../../../deploy/local/servers/until.ts";
import type { Side } from "../alternate.ts";
import type { BenchStack } from "../bench-stack.ts";
import { type LoadProcess, startLoad } from "../load/load-process.ts";

/** A side that works in a process of its own. */
export type LoadSide = Side & Pick<LoadProcess, "close">;

const settleWithinMs = 60_000;

/** A load that calls the registry; a turn ends when the events of its changes have left the outbox. */
export async function serviceSide<Setup>(stack: BenchStack, script: string, setup: Setup): Promise<LoadSide> {
  const load = await startLoad(`test/bench/loads/${script}`, setup);
  stack.onClose(() => load.close());
  const outbox = stack.database.db().collection("outbox");
  return {
    name: "service",
    ...load,
    processes: { ...stack.processes, client: load.pid },
    settle: () => until(AbortSignal.timeout(settleWithinMs), async () => (await outbox.findOne()) === null),
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
  const { database } = stack.processes;
  return { name, ...load, processes: { database, client: load.pid } };
}
