import { Agent, get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type Latencies, latenciesOf } from "../runner/latencies.ts";

interface MeasureOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly clients: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

const replyWithinMs = 10_000;
const pauseMs = 50;

/**
 * Measures the latencies of regular clients, each of which requests one page after another, with short pauses. Half of
 * the clients keep their connection; the other half open a new one per request. A failed request is retried once, as
 * HTTP clients do for GET.
 */
export async function measureClients(options: MeasureOptions): Promise<Latencies> {
  const { clients, seconds, signal, apiKey } = options;
  const endAt = performance.now() + 1_000 * seconds;
  const durationsMs: number[] = [];
  let failed = 0;
  const run = async (keepAlive: boolean) => {
    const agent = new Agent({ keepAlive, maxSockets: 1 });
    while (performance.now() < endAt && !signal.aborted) {
      const startedAt = performance.now();
      const isAnswered = (await requestPage(options, agent, apiKey)) || (await requestPage(options, agent, apiKey));
      if (isAnswered) durationsMs.push(performance.now() - startedAt);
      else failed++;
      await delay(pauseMs);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => run(index % 2 === 0)));
  return latenciesOf(durationsMs, failed);
}

/** Requests a page. @returns whether the response was complete and had status 200 */
function requestPage({ url }: MeasureOptions, agent: Agent, apiKey: string): Promise<boolean> {
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
