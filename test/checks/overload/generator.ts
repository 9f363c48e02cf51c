import { parentPort, workerData } from "node:worker_threads";
import { loadPlan } from "./load-plan.ts";
import { LoadStream } from "./load-stream.ts";

// Runs in a worker thread: generates a load and posts the results of its streams.
if (parentPort !== null) {
  const { streams, ...setup } = loadPlan.parse(workerData);
  const running = streams.map((stream) => new LoadStream(stream, setup).run());
  parentPort.postMessage(await Promise.all(running));
}
