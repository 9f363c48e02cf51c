import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { z } from "zod";
import { issueItem } from "../../harness/issue-items.ts";
import { partOf, type Stack, startStack } from "../../harness/stack/start-stack.ts";
import { openTestPlatformApp } from "../../harness/storefront/test-platform-app.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { type CheckReport, runCheck } from "../runner/run-check.ts";
import { createStoreWithKey, unlimited, writerTimeoutMs } from "../runner/workload-store.ts";
import { measureBesideGarbage } from "./measure-beside-garbage.ts";
import { measureClients } from "./measure-clients.ts";
import { type LoadOptions, loadCommand } from "./options.ts";
import { reportOf } from "./report.ts";
import { slowClientsReport } from "./slow-clients.ts";

const connectWithinMs = 60_000;
const warmUpSeconds = 2;

/**
 * Runs the load check: measures the latencies of regular clients first alone, then beside many slow clients or, with
 * `--garbage`, beside signed garbage. {@link reportOf} or {@link measureBesideGarbage} decide whether the check passes.
 */
export const runLoadCheck = () =>
  runCheck(loadCommand, (options) => ({
    start: async (signal, log) => {
      const removals: (() => Promise<void>)[] = [];
      const app = await openTestPlatformApp((remove) => removals.push(remove));
      const env = { EDGE_PLATFORM_SECRET_FILE: app.secretFile };
      const stack = await startStack({
        name: "check-load",
        restart: true,
        signal,
        log,
        logLevel: "warn",
        registries: [{ env: unlimited }, { env: unlimited }, { env: unlimited }],
        edges: [{ env }, { env }],
        callTimeoutMs: writerTimeoutMs,
      });
      stack.supervisor.onClose(() => Promise.all(removals.map((remove) => remove())));
      return { ...stack, app };
    },
    examine: (stack, signal, log) =>
      options.garbage
        ? measureBesideGarbage(options, stack, stack.app, signal, log)
        : examine(options, stack, signal, log),
  }));

async function examine(
  options: LoadOptions,
  { registries, edges }: Stack,
  signal: AbortSignal,
  log: Log,
): Promise<CheckReport> {
  const edge = partOf(edges);
  const { clients, seconds } = options;
  const registry = partOf(registries);
  const { id: storeId, apiKey } = await createStoreWithKey(registry);
  const items = Array.from({ length: 50 }, () => issueItem());
  await registry.issuing.issueCertificates({ storeId, items });
  const request = { url: `${edge.url}/v1/certificates?limit=50`, apiKeys: [apiKey], clients, signal };
  await measureClients({ ...request, seconds: warmUpSeconds });
  const without = await measureClients({ ...request, seconds });
  const slow = await connectSlowClients(options, Number(new URL(edge.url).port), signal, log);
  log(`${slow.state().open} slow clients are connected`);
  const beside = await measureClients({ ...request, seconds });
  const { open, closed } = slow.state();
  await slow.disconnect();
  return reportOf(options, { without, beside, open, closed, complete: !signal.aborted });
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
