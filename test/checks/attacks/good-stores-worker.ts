/** The thread that sends the requests of {@link GoodStores}: mutating bodies must not delay its clock. */
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "#shared/time/clock.ts";
import type { GoodRequest, GoodStoresSetup } from "./good-stores.ts";
import { sendPatiently } from "./send-patiently.ts";

const everyMs = 1_000;

async function request(edgeUrl: string, apiKey: string): Promise<GoodRequest> {
  const startedAt = performance.now();
  const headers = { Authorization: `Bearer ${apiKey}` };
  try {
    const response = await sendPatiently(
      () => fetch(`${edgeUrl}/v1/certificates?limit=10`, { headers }),
      ({ status }) => status === 503,
    );
    const body = await response.text();
    const durationMs = performance.now() - startedAt;
    if (response.status === 200) return { durationMs };
    return { failure: `a good store's request got ${response.status} after ${Math.round(durationMs)} ms: ${body}` };
  } catch (error) {
    return { failure: `a good store's request failed: ${error}` };
  }
}

const { edgeUrl, apiKeys }: GoodStoresSetup = workerData;
for (const [index, apiKey] of apiKeys.entries()) {
  setTimeout(
    async () => {
      for (let dueAt = performance.now(); ; dueAt = Math.max(dueAt + everyMs, performance.now())) {
        await systemClock.sleep(Math.max(0, dueAt - performance.now()));
        parentPort?.postMessage(await request(edgeUrl, apiKey));
      }
    },
    (index * everyMs) / apiKeys.length,
  );
}
