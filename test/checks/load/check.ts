import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { z } from "zod";
import { integer } from "../../../deploy/local/stack/command-line.ts";
import { inStore } from "../../harness/in-store.ts";
import { issueItem } from "../../harness/issue-items.ts";
import { partOf, type Stack } from "../../harness/stack/start-stack.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { abortReason, type CheckContext, defineCheck, type Outcome } from "../runner/check.ts";
import type { Latencies } from "../runner/latencies.ts";
import { createStoreWithKey, unlimited, writerTimeoutMs } from "../runner/workload-store.ts";
import { measureClients } from "./measure-clients.ts";
import { slowClientsReport } from "./slow-clients.ts";

/** Schemas of the options of the load check. */
const loadOptions = {
  connections: integer(1, 50_000, "slow and silent connections; requires a sufficient ulimit -n").default(10_000),
  addresses: integer(1, 250, "addresses of 127.0.0.0/8 from which the slow connections are opened").default(20),
  seconds: integer(1, 300, "duration of each of the two measurements").default(20),
  clients: integer(1, 100, "regular clients, each with one request at a time").default(10),
};

/** Options of the load check. */
type LoadOptions = z.output<z.ZodObject<typeof loadOptions>>;

const connectWithinMs = 60_000;
const warmUpSeconds = 2;

/**
 * `npm run check:load` measures the latencies of regular clients first alone, then beside many slow clients.
 */
export const loadCheck = defineCheck({
  name: "load",
  options: loadOptions,
  start: ({ startStack }) => {
    const registry = { env: unlimited };
    const parts = { registries: [registry, registry, registry], edges: [{}, {}] };
    return startStack({ ...parts, callTimeoutMs: writerTimeoutMs });
  },
  examine: measureBesideSlowClients,
});

/** Passes when no request failed while slow clients were connected and, unless it ended early, one succeeded. */
async function measureBesideSlowClients(
  { registries, edges }: Stack,
  { options, signal, log }: CheckContext<LoadOptions>,
): Promise<Outcome> {
  const edge = partOf(edges);
  const { connections, addresses, clients, seconds } = options;
  const registry = partOf(registries);
  const { id: storeId, apiKey } = await createStoreWithKey(registry);
  const items = Array.from({ length: 50 }, () => issueItem());
  await registry.issuing.issueCertificates({ items }, inStore(storeId));
  const request = { url: `${edge.url}/v1/certificates?limit=50`, apiKey, clients, signal };
  await measureClients({ ...request, seconds: warmUpSeconds });
  const without = await measureClients({ ...request, seconds });
  const slow = await connectSlowClients(options, Number(new URL(edge.url).port), signal, log);
  log(`${slow.state().open} slow clients are connected`);
  const beside = await measureClients({ ...request, seconds });
  const { open, closed } = slow.state();
  await slow.disconnect();
  return {
    lines: [
      `without slow clients: ${textOf(without)}`,
      `with slow clients: ${textOf(beside)}; ${open} open connections, ${closed} closed by the edge`,
    ],
    counts: {
      connections,
      addresses,
      seconds,
      clients,
      open,
      closed,
      without: jsonOf(without),
      with: jsonOf(beside),
      complete: !signal.aborted,
    },
    passed: beside.failed === 0 && (beside.requests > 0 || signal.aborted),
    endedEarly: abortReason(signal),
  };
}

function textOf({ requests, failed, p50Ms, p99Ms }: Latencies): string {
  return `${requests} requests, ${failed} failed, p50 ${p50Ms} ms, p99 ${p99Ms} ms`;
}

function jsonOf({ requests, failed, p50Ms, p99Ms }: Latencies) {
  return { requests, failed, p50_ms: p50Ms, p99_ms: p99Ms };
}

/**
 * Starts the slow clients. Resolves when `connections` of them are connected, when the edge has closed that many
 * connections, when the signal aborts, or after one minute.
 *
 * @throws the error of the worker thread
 */
async function connectSlowClients(
  { connections, addresses }: LoadOptions,
  port: number,
  signal: AbortSignal,
  log: Log,
) {
  const workerData = { port, connections, addresses };
  const worker = new Worker(new URL("./slow-clients.ts", import.meta.url), { workerData });
  let state: z.output<typeof slowClientsReport> = { open: 0, closed: 0 };
  let failure: unknown;
  worker.on("message", (message: unknown) => {
    state = slowClientsReport.parse(message);
  });
  worker.once("error", (error) => {
    failure = error;
  });
  const deadline = performance.now() + connectWithinMs;
  while (state.open < connections && state.closed < connections && failure === undefined) {
    if (signal.aborted || performance.now() > deadline) break;
    await delay(100);
  }
  if (failure !== undefined) throw failure;
  if (state.problem !== undefined) log(`a slow client could not connect: ${state.problem}`);
  return { state: () => state, disconnect: () => worker.terminate() };
}
