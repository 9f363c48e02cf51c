import { Agent, get } from "node:http";
import { text } from "node:stream/consumers";
import { systemClock } from "#shared/time/clock.ts";
import { messageOf } from "../../../deploy/local/servers/setup-error.ts";
import { pageSchema } from "../../harness/list-client.ts";
import { actorRandom, type SeededRandom } from "../../harness/seeded-random.ts";
import type { BackgroundWork } from "../runner/workload.ts";
import type { Endpoint } from "./ready-endpoints.ts";

interface ListLoadSetup {
  /** API keys of the stores whose certificates are listed. */
  readonly apiKeys: readonly string[];
  /** Returns the endpoints to which requests may be sent. */
  readonly endpoints: () => readonly Endpoint[];
  readonly seed: number;
}

const pauseMaxMs = 80;
const replyWithinMs = 10_000;
const queries = ["limit=50", "limit=1", "status=active&limit=20", "updated_since=2026-01-01T00:00:00Z&limit=10"];

/**
 * Clients that list certificates. Each client sends one request at a time and never retries a failed request. Half of
 * the clients keep their connections, as an ingress controller does; the others open a connection for each request.
 */
export class ListLoad {
  requests = 0;
  /** One line per failed request. */
  readonly failures: string[] = [];
  readonly #setup: ListLoadSetup;

  constructor(setup: ListLoadSetup) {
    this.#setup = setup;
  }

  /** Returns the clients as background work. */
  clients(count: number): BackgroundWork[] {
    return Array.from({ length: count }, (_, index) => (isWriting, signal) => this.#run(index, isWriting, signal));
  }

  async #run(index: number, isWriting: () => boolean, signal: AbortSignal): Promise<void> {
    const random = actorRandom(this.#setup.seed, `list client ${index}`);
    const agent = new Agent({ keepAlive: index % 2 === 0 });
    while (isWriting() && !signal.aborted) {
      await this.#list(agent, random);
      await systemClock.sleep(random.below(pauseMaxMs), signal);
    }
    agent.destroy();
  }

  async #list(agent: Agent, random: SeededRandom): Promise<void> {
    const { apiKeys, endpoints } = this.#setup;
    const ready = endpoints();
    this.requests++;
    if (ready.length === 0) {
      this.#fail("no edge is ready");
      return;
    }
    const { url } = random.pick(ready);
    try {
      await requestPage(`${url}/v1/certificates?${random.pick(queries)}`, random.pick(apiKeys), agent);
    } catch (error) {
      this.#fail(`${url}: ${messageOf(error)}`);
    }
  }

  #fail(reason: string): void {
    this.failures.push(`the list request at ${new Date(systemClock.now()).toISOString()} failed: ${reason}`);
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
