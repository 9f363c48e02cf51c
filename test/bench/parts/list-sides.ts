import { freePort } from "../../../deploy/local/servers/free-port.ts";
import type { Side, Turn } from "../alternate.ts";
import type { BenchStack } from "../bench-stack.ts";
import { cpuOf, ratioOf, spreadOf } from "../compare.ts";
import { startLoad } from "../load/load-process.ts";
import { type LoadSide, openLoad } from "./sides.ts";

/** Number of keep-alive connections of each side. */
export const connections = 16;

/** HTTP requests that are sent in rotation. */
interface HttpRequests extends Pick<Side, "processes"> {
  readonly port: number;
  readonly requests: readonly string[];
  /** The status that every response must have. Default 200. */
  readonly status?: number;
  /** Default {@link connections}. */
  readonly connections?: number;
}

/** Creates a side that sends requests. */
async function httpSide(stack: BenchStack, name: string, { processes, ...requests }: HttpRequests): Promise<LoadSide> {
  const load = await openLoad(stack, "http-requests.ts", { connections, status: 200, ...requests });
  return { name, ...load, processes };
}

/** Creates a side that sends requests to the edge. */
export function edgeSide(
  stack: BenchStack,
  name: string,
  requests: readonly string[],
  more: Pick<HttpRequests, "status" | "connections"> = {},
): Promise<LoadSide> {
  const { edge, pids } = stack;
  const processes = { edge: edge.pid, registry: pids.registry, database: pids.database };
  return httpSide(stack, name, { port: edge.port, requests, processes, ...more });
}

/** The bare process (`baseline/serve-list.ts`). */
interface BareProcess {
  readonly port: number;
  readonly pid: number;
}

/** Starts the bare process on the registry's database. */
export async function startBare(
  { databaseUri: uri, onClose }: BenchStack,
  connectionCount = connections,
): Promise<BareProcess> {
  const port = await freePort();
  const bare = await startLoad("test/bench/baseline/serve-list.ts", { uri, port, connections: connectionCount });
  onClose(() => bare.close());
  return { port, pid: bare.pid };
}

/** Creates a side that sends requests to the bare process. */
export function bareSide(
  stack: BenchStack,
  { port, pid }: BareProcess,
  requests: readonly string[],
): Promise<LoadSide> {
  return httpSide(stack, "bare", { port, requests, processes: { bare: pid, database: stack.pids.database } });
}

/** Returns the CPU time of the edge and the registry per request of each turn, in microseconds. */
export function servicesCpu(turns: readonly Turn[] | undefined): number[] {
  return cpuOf(turns, "edge", "registry");
}

/**
 * Returns the CPU time per request of the services (edge and registry) and of the bare process, and their ratio; and
 * the same of the database.
 */
export function costsOf({ service, bare }: Readonly<Record<string, readonly Turn[]>>) {
  const [ours, theirs] = [servicesCpu(service), cpuOf(bare, "bare")];
  return {
    cpu_micros_services: spreadOf(ours),
    cpu_micros_bare: spreadOf(theirs),
    cpu_ratio: ratioOf(ours, theirs),
    database_cpu_ratio: ratioOf(cpuOf(service, "database"), cpuOf(bare, "database")),
  };
}
