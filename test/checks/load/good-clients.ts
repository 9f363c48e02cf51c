import { Agent, get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type Latencies, latenciesOf } from "../runner/latencies.ts";

/** Good clients' work. */
export interface GoodClientsOptions {
  /** A page of certificates. */
  readonly url: string;
  readonly apiKey: string;
  readonly clients: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

const pauseMs = 50;
const replyWithinMs = 10_000;

/**
 * Asks for pages, each client one after another with short pauses. Half of the clients keep their connections, the others
 * make a new one for each request. A request whose connection is lost is repeated once, as clients do with a GET.
 */
export async function measureGoodClients(options: GoodClientsOptions): Promise<Latencies> {
  const { clients, seconds, signal } = options;
  const endAt = performance.now() + 1_000 * seconds;
  const durationsMs: number[] = [];
  let failed = 0;
  const run = async (keepAlive: boolean) => {
    const agent = new Agent({ keepAlive, maxSockets: 1 });
    while (performance.now() < endAt && !signal.aborted) {
      const startedAt = performance.now();
      const isAnswered = (await ask(options, agent)) || (await ask(options, agent));
      if (isAnswered) durationsMs.push(performance.now() - startedAt);
      else failed++;
      await delay(pauseMs);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => run(index % 2 === 0)));
  return latenciesOf(durationsMs, failed);
}

/** @returns whether the answer was a whole page */
function ask({ url, apiKey }: GoodClientsOptions, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const request = get(url, { agent, headers, timeout: replyWithinMs }, (reply) => {
      reply.resume();
      reply.once("end", () => resolve(reply.statusCode === 200));
      reply.once("close", () => resolve(false));
    });
    request.once("timeout", () => request.destroy());
    request.once("error", () => resolve(false));
  });
}
