import { freePort } from "../../../deploy/local/servers/free-port.ts";
import type { Turn } from "../alternate.ts";
import type { BenchStack } from "../bench-stack.ts";
import { spreadOf } from "../compare.ts";
import { startLoad } from "../load/load-process.ts";
import type { LoadSide } from "./sides.ts";

/** Number of keep-alive connections of each side. */
export const connections = 16;

/** The bare process (`baseline/serve-list.ts`), which reads the registry's database. */
interface BareProcess {
  readonly port: number;
  readonly pid: number;
}

export async function startBare({ databaseUri: uri, onClose }: BenchStack): Promise<BareProcess> {
  const port = await freePort();
  const bare = await startLoad("test/bench/baseline/serve-list.ts", { uri, port, connections });
  onClose(() => bare.close());
  return { port, pid: bare.pid };
}

/** Sends requests to the edge in rotation. @param status the status that every response must have */
export async function edgeSide(
  { edge, pids, onClose }: BenchStack,
  name: string,
  requests: readonly string[],
  status = 200,
): Promise<LoadSide> {
  const load = await startLoad("test/bench/loads/http-requests.ts", { port: edge.port, connections, requests, status });
  onClose(() => load.close());
  return { name, ...load, processes: { edge: edge.pid, registry: pids.registry, database: pids.database } };
}

/** Sends requests to the bare process in rotation. */
export async function bareSide(
  { pids, onClose }: BenchStack,
  bare: BareProcess,
  requests: readonly string[],
): Promise<LoadSide> {
  const setup = { port: bare.port, connections, requests, status: 200 };
  const load = await startLoad("test/bench/loads/http-requests.ts", setup);
  onClose(() => load.close());
  return { name: "bare", ...load, processes: { bare: bare.pid, database: pids.database } };
}

/**
 * Returns the CPU time per request of the services (edge and registry) and of the bare process, and their ratio; and
 * the same of the database.
 */
export function cpuOf({ service = [], bare = [] }: Record<string, readonly Turn[]>) {
  const databaseOf = (turns: readonly Turn[]) =>
    turns.map(({ cpuMicrosPerUnit: { database = Number.NaN } }) => database);
  const [ours, theirs] = [
    service.map(servicesCpu),
    bare.map(({ cpuMicrosPerUnit }) => cpuMicrosPerUnit.bare ?? Number.NaN),
  ];
  return {
    cpu_micros_services: spreadOf(ours),
    cpu_micros_bare: spreadOf(theirs),
    cpu_ratio: ratioOf(ours, theirs),
    database_cpu_ratio: ratioOf(databaseOf(service), databaseOf(bare)),
  };
}

/** Returns the CPU time of the edge and the registry per request of a turn, in microseconds. */
export function servicesCpu({ cpuMicrosPerUnit: { edge = Number.NaN, registry = Number.NaN } }: Turn): number {
  return edge + registry;
}

function ratioOf(ours: readonly number[], theirs: readonly number[]) {
  return spreadOf(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}
