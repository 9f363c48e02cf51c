import { parentPort, workerData } from "node:worker_threads";
import { loadPlan } from "./load-plan.ts";
import { LoadStream } from "./load-stream.ts";

// Runs in a worker thread: generates a load and posts its result.
if (parentPort !== null) parentPort.postMessage(await new LoadStream(loadPlan.parse(workerData)).run());
