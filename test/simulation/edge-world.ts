import type { HistoryScript } from "./history-script.ts";
import type { SimulatedWorld } from "./run-in-world.ts";
import { type HttpRequest, type HttpResponse, type Serve, sendHttp } from "./world/http.ts";
import type { WorldProcess } from "./world/world.ts";

/** The edge's time limit of a request, and a second. */
const answeredWithinMs = 6_000;

/** A replica of a service. */
export interface Replica {
  readonly process: WorldProcess;
}

/** A registry, which keeps its address. */
interface RegistryReplica extends Replica {
  readonly address: string;
}

/** An edge. */
interface EdgeReplica extends Replica {
  readonly serve: Serve;
  /** When it was last paused, or went on after that. */
  pausedAtMs: number;
}

/** A store whose list is read. */
export interface ListedStore {
  readonly id: string;
  readonly shop: string;
  /** The API key that its clients use now. */
  apiKey: string;
  keyId: string;
}

/** What a history of the edge uses and observes. */
export interface EdgeWorld extends SimulatedWorld {
  readonly script: HistoryScript;
  /** Its clients ask for lists more often than its limit permits. */
  readonly loud: ListedStore;
  /** Its clients follow the list, within its limit. */
  readonly quiet: ListedStore;
  readonly registries: RegistryReplica[];
  readonly edges: EdgeReplica[];
  readonly problems: string[];
  /** Whether registries and edges are killed, clients leave early, and the database's clock is set back. */
  readonly isRough: boolean;
  /** When no further fault happens, and all that was paused goes on; undefined until then. */
  calmFromMs: number | undefined;
  /** Whether the clients of the loud store ask, and keys are guessed. */
  isFlooded: boolean;
  /** Whether the clients that follow the list end. */
  isEnding: boolean;
}

/**
 * Sends a request to one of the edges, as a load balancer does. An edge that is neither killed nor paused must answer.
 *
 * @returns `undefined` without a complete response
 */
export async function request(history: EdgeWorld, http: HttpRequest): Promise<HttpResponse | undefined> {
  const { world, edges, problems } = history;
  if (edges.length === 0) return undefined;
  const edge = world.random.pick(edges);
  const sentMs = world.now();
  const response = await sendHttp(world, edge, http);
  const { process, pausedAtMs } = edge;
  const isDisturbed = process.isDead || process.held !== undefined || pausedAtMs >= sentMs;
  if (response === undefined && http.waitsMs > answeredWithinMs && !isDisturbed)
    problems.push(`${http.method} ${http.path} is not answered within ${http.waitsMs} ms`);
  return response;
}

/** Calls until a call does not fail, as an administrator does. */
export async function untilDone<T>({ world }: SimulatedWorld, call: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await call();
    } catch {
      await world.delay(100 + world.below(1_000));
    }
}
