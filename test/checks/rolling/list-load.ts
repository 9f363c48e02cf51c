import { Agent, get } from "node:http";
import { text } from "node:stream/consumers";
import { systemClock } from "#shared/time/clock.ts";
import { messageOf } from "../../../deploy/local/servers/setup-error.ts";
import { pageSchema } from "../../harness/list-client.ts";
import { actorRandom, type SeededRandom } from "../../harness/seeded-random.ts";
import type { MachineWatch } from "../runner/machine-watch.ts";
import type { BackgroundWork } from "../runner/workload.ts";
import type { Endpoint } from "./ready-endpoints.ts";

interface ListLoadSetup {
  /** API keys of the stores whose certificates are listed. */
  readonly apiKeys: readonly string[];
  /** Returns the endpoints to which requests may be sent. */
  readonly endpoints: () => readonly Endpoint[];
  readonly seed: number;
  /** Observes for which failures this machine, not a restart, is the cause. */
  readonly machine: Pick<MachineWatch, "stoodStillSince">;
}

const pauseMaxMs = 80;
const replyWithinMs = 60_000;
// The clients and the probes of readiness still have to catch up when a standstill has just ended.
const afterStandstillMs = 2_000;
const interruptedShareMax = 0.02;
const queries = ["limit=50", "limit=1", "status=active&limit=20", "updated_since=2026-01-01T00:00:00Z&limit=10"];

/**
 * Clients that list certificates. Each client sends one request at a time and never retries a failed request. Half of
 * the clients keep their connections, as an ingress controller does; the others open a connection for each request.
 */
export class ListLoad {
  requests = 0;
  /** One line per failed request, except those that a standstill interrupted. */
  readonly failures: string[] = [];
  /** Number of requests that failed while the machine or its database stood still, or directly afterwards. */
  interrupted = 0;
  readonly #setup: ListLoadSetup;

  constructor(setup: ListLoadSetup) {
    this.#setup = setup;
  }

  /**
   * Whether standstills interrupted more requests than the given number and than 2 percent of all: too little is left
   * to judge the services by.
   */
  wasInterruptedTooOften(interruptedMin: number): boolean {
    return this.interrupted > Math.max(interruptedMin, interruptedShareMax * this.requests);
  }

  /** Returns the clients as background work. */
  clients(count: number): BackgroundWork[] {
    return Array.from({ length: count }, (_, index) => (isWriting, signal) => this.#run(index, isWriting, signal));
  }

  async #run(index: number, isWriting: () => boolean, signal: AbortSignal): Promise<void> {
    const random = actorRandom(this.#setup.seed, `list client ${index}`);
    const agent = new Agent({ keepAlive: index % 2 === 0 });
    while (isWriting() && !signal.aborted) {
      await this.#list(agent, random, signal);
      await systemClock.sleep(random.below(pauseMaxMs), signal);
    }
    agent.destroy();
  }

  async #list(agent: Agent, random: SeededRandom, signal: AbortSignal): Promise<void> {
    const { apiKeys, endpoints } = this.#setup;
    const ready = endpoints();
    this.requests++;
    if (ready.length === 0) return this.#fail("no edge is ready", signal);
    const { url } = random.pick(ready);
    try {
      await requestPage(`${url}/v1/certificates?${random.pick(queries)}`, random.pick(apiKeys), agent);
    } catch (error) {
      await this.#fail(`${url}: ${messageOf(error)}`, signal);
    }
  }

  async #fail(reason: string, signal: AbortSignal): Promise<void> {
    if (!this.#setup.machine.stoodStillSince(performance.now() - afterStandstillMs)) {
      this.failures.push(`the list request at ${new Date(systemClock.now()).toISOString()} failed: ${reason}`);
      return;
    }
    this.interrupted++;
    // A standstill interrupts one request of each client.
    await systemClock.sleep(afterStandstillMs, signal);
  }
}

/** Requests a page. @throws Error unless the response is a complete page */
async function requestPage(url: string, apiKey: string, agent: Agent): Promise<void> {
  const [status, body] = await new Promise<[number | undefined, string]>((resolve, reject) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const signal = AbortSignal.timeout(replyWithinMs);
    get(url, { agent, headers, signal }, (reply) => {
      text(reply).then((body) => resolve([reply.statusCode, body]), reject);
    }).once("error", reject);
  });
  if (status !== 200) throw new Error(`${status} ${body}`);
  pageSchema.parse(JSON.parse(body));
}
