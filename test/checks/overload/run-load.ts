import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { type LoadPlan, type StreamResult, streamResult } from "./load-plan.ts";

/**
 * Generates a load in a worker thread of its own, so that one load's work does not delay the measurement of another.
 *
 * @throws the error of the worker; AbortError when the signal aborts
 */
export async function runLoad(plan: LoadPlan, signal: AbortSignal): Promise<StreamResult> {
  const worker = new Worker(new URL("./generator.ts", import.meta.url), { workerData: plan });
  try {
    const [result] = await once(worker, "message", { signal });
    return streamResult.parse(result);
  } finally {
    await worker.terminate();
  }
}
