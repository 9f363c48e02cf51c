import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { z } from "zod";
import { issueItem } from "../../harness/issue-items.ts";
import { createTestStore } from "../../harness/test-stores.ts";
import { startCheckStack } from "../feed/check-stack.ts";
import type { Say } from "../runner/conduct.ts";
import type { Latencies } from "../runner/latencies.ts";
import type { RegistryCalls } from "../runner/registry-calls.ts";
import { measureGoodClients } from "./good-clients.ts";
import type { LoadOptions } from "./options.ts";
import { crowdReport } from "./slow-crowd.ts";

const gatherWithinMs = 60_000;
const startWithinMs = 180_000;

/**
 * One run of the load check: good clients alone, then good clients beside a crowd of slow ones, all on this machine. The
 * last line on standard output is a JSON object with both measurements; what is for people goes to standard error.
 *
 * @returns the exit code: 0 when every good client's request was answered with the crowd there
 * @throws Error when the run could not be made
 */
export async function runLoad(options: LoadOptions, stopped: AbortSignal): Promise<number> {
  const say: Say = (line) => void process.stderr.write(`${line}\n`);
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(startWithinMs + 2_000 * options.seconds)]);
  const stack = await startCheckStack({ plainClock: false, buildFast: false, keep: false }, signal, say);
  try {
    const [registry] = stack.registries;
    const [edgeUrl] = stack.edgeUrls;
    if (registry === undefined || edgeUrl === undefined) throw new Error("the stack has no edge");
    const { clients, seconds } = options;
    const apiKey = await fillStore(registry);
    const url = `${edgeUrl}/v1/certificates?limit=50`;
    const measure = () => measureGoodClients({ url, apiKey, clients, seconds, signal });
    await measureGoodClients({ url, apiKey, clients, seconds: 2, signal });
    const without = await measure();
    say(`without slow clients: ${inWords(without)}`);
    const crowd = await gather(options, Number(new URL(edgeUrl).port), signal);
    say(`${crowd.state().open} slow clients are connected`);
    const beside = await measure();
    const { open, closed } = crowd.state();
    await crowd.leave();
    say(`with them: ${inWords(beside)}; ${open} are connected, ${closed} connections were closed`);
    const { connections, addresses } = options;
    const counts = { connections, addresses, seconds, clients, open, closed };
    process.stdout.write(
      `${JSON.stringify({ ...counts, without: inJson(without), with: inJson(beside) })}\n`,
    );
    return beside.failed === 0 && beside.requests > 0 ? 0 : 1;
  } finally {
    await stack.close();
  }
}

/** A store with one page of certificates. @returns its key */
async function fillStore(registry: RegistryCalls): Promise<string> {
  const storeId = await createTestStore(registry);
  const items = Array.from({ length: 50 }, () => issueItem());
  await registry.issuing.issueCertificates({ storeId, items });
  return (await registry.admin.createApiKey({ storeId, label: "load check" })).apiKey;
}

/** Starts the crowd and waits until it is there, or as much of it as the edge lets in. */
async function gather({ connections, addresses }: LoadOptions, port: number, signal: AbortSignal) {
  const worker = new Worker(new URL("./slow-crowd.ts", import.meta.url), {
    workerData: { port, connections, addresses },
  });
  let state: z.output<typeof crowdReport> = { open: 0, closed: 0 };
  let failure: unknown;
  worker.on("message", (message: unknown) => {
    state = crowdReport.parse(message);
  });
  worker.once("error", (error) => {
    failure = error;
  });
  const endAt = performance.now() + gatherWithinMs;
  // It is all there, or the edge has begun to close what is too many.
  while (state.open < connections && state.closed < connections && failure === undefined) {
    if (signal.aborted || performance.now() > endAt) break;
    await delay(100);
  }
  if (failure !== undefined) throw failure;
  if (state.problem !== undefined)
    process.stderr.write(`a slow client could not connect: ${state.problem}\n`);
  return { state: () => state, leave: () => worker.terminate() };
}

function inWords({ requests, failed, p50Ms, p99Ms }: Latencies): string {
  return `${requests} requests, ${failed} failed, p50 ${p50Ms} ms, p99 ${p99Ms} ms`;
}

function inJson({ requests, failed, p50Ms, p99Ms }: Latencies) {
  return { requests, failed, p50_ms: p50Ms, p99_ms: p99Ms };
}
